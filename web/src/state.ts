// What the page shows, as one value. Changes make a new value, and the address says it, so that back, forward and a
// link lead to the same picture.

import type { ColumnId, DatasetId, EdgeId, Lineage } from "./lineage.ts";

export type Mode = "graph" | "impact" | "diff" | "list";
export const CHANGES = ["values", "drop", "rename", "type"] as const;
export type Change = (typeof CHANGES)[number];

export interface State {
  mode: Mode;
  /** The cards. */
  shown: ReadonlySet<DatasetId>;
  dataset: DatasetId | null;
  /** The column whose path is pinned, or whose impact is shown. */
  column: ColumnId | null;
  edge: EdgeId | null;
  change: Change;
  inspect: boolean;
  tableLevel: boolean;
  grouped: boolean;
  /** Whether what is far and only referenced is shown in impact mode. */
  unfolded: boolean;
  /** Kinds of edges that are hidden. */
  hidden: ReadonlySet<string>;
  tab: "details" | "diagnostics" | "coverage";
}

export const START: State = {
  mode: "graph",
  shown: new Set(),
  dataset: null,
  column: null,
  edge: null,
  change: "values",
  inspect: false,
  tableLevel: false,
  grouped: false,
  unfolded: false,
  hidden: new Set(),
  tab: "details",
};

/** Inside of a notebook's output the page has steps of its own: back and forward are the notebook's. */
const FRAMED = window !== window.parent;
const MOST_STEPS = 200;

/** Of more cards a link tells only where to begin. */
const MOST_IN_LINK = 60;

export function address(state: State, lineage: Lineage): string {
  const said = new URLSearchParams();
  if (state.column !== null) said.set("column", lineage.fullName(state.column));
  else if (state.dataset !== null) said.set("table", lineage.name(state.dataset));
  if (state.mode !== "graph") said.set("mode", state.mode);
  if (state.mode === "impact" && state.change !== "values") said.set("change", state.change);
  if (state.inspect) said.set("inspect", "1");
  if (state.tableLevel) said.set("level", "table");
  if (state.grouped) said.set("grouped", "1");
  if (state.unfolded) said.set("unfolded", "1");
  if (state.hidden.size) said.set("without", [...state.hidden].sort().join(","));
  if (state.shown.size <= MOST_IN_LINK) {
    for (const dataset of state.shown) said.append("with", lineage.name(dataset));
  }
  return `#${said}`;
}

export function fromAddress(hash: string, lineage: Lineage): State | null {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const named = said.get("column");
  const column = named ? lineage.column(named) : undefined;
  const table = said.get("table");
  const dataset = column !== undefined ? lineage.datasetOf[column] : table ? lineage.dataset(table) : undefined;
  const shown = said.getAll("with").map((name) => lineage.dataset(name)).filter((id): id is number => id !== undefined);
  if (dataset === undefined && !shown.length && !said.has("mode")) return null;
  const mode = said.get("mode");
  const change = said.get("change");
  return {
    ...START,
    mode: mode === "impact" || mode === "list" || (mode === "diff" && lineage.raw.diff) ? mode : "graph",
    shown: new Set(dataset !== undefined ? [dataset, ...shown] : shown),
    dataset: dataset ?? null,
    column: column ?? null,
    change: CHANGES.find((each) => each === change) ?? "values",
    inspect: said.get("inspect") === "1",
    tableLevel: said.get("level") === "table",
    grouped: said.get("grouped") === "1",
    unfolded: said.get("unfolded") === "1",
    hidden: new Set((said.get("without") ?? "").split(",").filter(Boolean)),
  };
}

export type Listener = (now: State, before: State) => void;

export class Store {
  private listeners: Listener[] = [];
  private past: State[] = [];
  private ahead: State[] = [];
  now: State = START;

  constructor(private lineage: Lineage) {}

  watch(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** A step that `back` takes back. */
  go(change: Partial<State>): void {
    const before = this.now;
    this.set(change);
    if (FRAMED) this.past = [...this.past, before].slice(-MOST_STEPS);
    if (FRAMED) this.ahead = [];
    const wanted = address(this.now, this.lineage);
    if (!FRAMED && wanted !== location.hash) history.pushState(null, "", wanted);
  }

  back(): void {
    if (FRAMED) this.step(this.past, this.ahead);
    else history.back();
  }

  forward(): void {
    if (FRAMED) this.step(this.ahead, this.past);
    else history.forward();
  }

  private step(from: State[], to: State[]): void {
    const state = from.pop();
    if (!state) return;
    to.push(this.now);
    this.set(state);
  }

  /** A change that is no step of its own. */
  set(change: Partial<State>): void {
    const before = this.now;
    this.now = { ...before, ...change };
    for (const listener of this.listeners) listener(this.now, before);
  }

  restore(): boolean {
    const said = fromAddress(location.hash, this.lineage);
    if (!said) return false;
    this.set(said);
    return true;
  }
}
