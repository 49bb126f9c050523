// What the page shows, as one value. Changes make a new value, and the address says it, so that back, forward and a
// link lead to the same picture. An address has where to begin, how far to go and what to leave out, never what is shown.

import type { ColumnId, DatasetId, EdgeId, Lineage } from "./lineage.ts";

export type Mode = "graph" | "impact" | "diff" | "list" | "strip";
export const CHANGES = ["values", "drop", "rename", "type"] as const;
export type Change = (typeof CHANGES)[number];
export type Side = "up" | "down";
export type Fold = "layer" | "folder" | "near";

export interface State {
  mode: Mode;
  /** The dataset that the picture is around; none of the two for the map. */
  root: DatasetId | null;
  /** The column whose path the picture is. */
  path: ColumnId | null;
  /** How many steps upstream and downstream of it are shown. */
  up: number;
  down: number;
  /** Datasets whose neighbors were asked for besides. */
  more: readonly (readonly [DatasetId, Side])[];
  /** The boxes that are open; null for those that leave a picture that can be read. */
  open: ReadonlySet<string> | null;
  /** How more tables than a picture holds are folded; null until somebody has chosen. */
  fold: Fold | null;
  /** The words that tables are filtered by. */
  query: string;
  dataset: DatasetId | null;
  /** The column whose path is pinned, or whose impact is shown. */
  column: ColumnId | null;
  /** The dataset all columns of which are shown, whatever the path is. */
  wide: DatasetId | null;
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
  panel: boolean;
}

export const DEPTH = 2;
export const PATH_DEPTH = 6;
export const DEEPEST = 30;

export const START: State = {
  mode: "graph",
  root: null,
  path: null,
  up: DEPTH,
  down: DEPTH,
  more: [],
  open: null,
  fold: null,
  query: "",
  dataset: null,
  column: null,
  wide: null,
  edge: null,
  change: "values",
  inspect: false,
  tableLevel: true,
  grouped: false,
  unfolded: false,
  hidden: new Set(),
  tab: "details",
  panel: false,
};

/** Whether a mode shows a picture. */
export function isPicture(mode: Mode): boolean {
  return mode !== "list" && mode !== "strip";
}

/** The picture around a dataset, or of a column's path. */
export function around(dataset: DatasetId, column: ColumnId | null = null): Partial<State> {
  const depth = column === null ? DEPTH : PATH_DEPTH;
  return { root: column === null ? dataset : null, path: column, up: depth, down: depth, more: [], open: null, fold: null, wide: null, edge: null, dataset, column, tab: "details", panel: true };
}

/** Inside of a notebook's output the page has steps of its own: back and forward are the notebook's. */
export const FRAMED = window !== window.parent;
const MOST_STEPS = 200;

export function address(state: State, lineage: Lineage): string {
  const said = new URLSearchParams();
  if (state.column !== null) said.set("column", lineage.fullName(state.column));
  else if (state.dataset !== null) said.set("table", lineage.name(state.dataset));
  addRoot(said, state, lineage);
  if (state.mode !== "graph") said.set("mode", state.mode);
  if (state.mode === "impact" && state.change !== "values") said.set("change", state.change);
  if (state.edge !== null) said.set("edge", lineage.edgeName(state.edge));
  if (state.wide !== null) said.set("wide", lineage.name(state.wide));
  if (state.query) said.set("q", state.query);
  if (state.fold) said.set("fold", state.fold);
  if (state.open) for (const key of state.open.size ? state.open : [""]) said.append("open", key);
  if (state.inspect) said.set("inspect", "1");
  if (!state.tableLevel) said.set("level", "column");
  if (state.grouped) said.set("grouped", "1");
  if (state.unfolded) said.set("unfolded", "1");
  if (state.hidden.size) said.set("without", [...state.hidden].sort().join(","));
  return `#${said}`;
}

function addRoot(said: URLSearchParams, state: State, lineage: Lineage): void {
  const { root, path } = state;
  const selected = state.column !== null || state.dataset !== null;
  if (root === null && path === null) {
    if (selected && state.mode === "graph") said.set("view", "map");
    return;
  }
  if (path !== null && path !== state.column) said.set("path", lineage.fullName(path));
  if (root !== null && (root !== state.dataset || state.column !== null)) said.set("root", lineage.name(root));
  const usual = path === null ? DEPTH : PATH_DEPTH;
  if (state.up !== usual) said.set("up", String(state.up));
  if (state.down !== usual) said.set("down", String(state.down));
  for (const [dataset, side] of state.more) said.append(`more-${side}`, lineage.name(dataset));
}

export interface Address {
  state: State;
  /** Names that this lineage does not have. */
  unknown: string[];
}

/** What an address says; null if it says nothing. */
export function fromAddress(hash: string, lineage: Lineage): Address | null {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  if (![...said.keys()].length) return null;
  const unknown: string[] = [];
  const named = <Id>(name: string, find: (text: string) => Id | undefined): Id | null => {
    const text = said.get(name);
    if (!text) return null;
    const found = find(text);
    if (found === undefined) unknown.push(text);
    return found ?? null;
  };
  const column = named("column", (text) => lineage.column(text));
  const table = named("table", (text) => lineage.dataset(text));
  const root = named("root", (text) => lineage.dataset(text));
  const path = named("path", (text) => lineage.column(text));
  const wide = named("wide", (text) => lineage.dataset(text));
  const dataset = column === null ? table : lineage.datasetOf[column]!;
  const mode = modeOf(said.get("mode"), lineage);
  const onMap = said.get("view") === "map" || mode !== "graph";
  const change = said.get("change");
  const edge = named("edge", (text) => lineage.edgeNamed(text));
  const from = onMap ? { root: null, path: null } : rootOf(column, dataset, root, path);
  const usual = from.path === null ? DEPTH : PATH_DEPTH;
  const more = (["up", "down"] as const).flatMap((side) => said.getAll(`more-${side}`).flatMap((name): [DatasetId, Side][] => {
    const found = lineage.dataset(name);
    if (found === undefined) unknown.push(name);
    return found === undefined ? [] : [[found, side]];
  }));
  const state: State = {
    ...START,
    ...from,
    mode,
    more,
    up: depthOf(said.get("up"), usual),
    down: depthOf(said.get("down"), usual),
    open: said.has("open") ? new Set(said.getAll("open").filter(Boolean)) : null,
    fold: (["layer", "folder", "near"] as const).find((each) => each === said.get("fold")) ?? null,
    query: said.get("q") ?? "",
    dataset,
    column,
    wide,
    edge,
    change: CHANGES.find((each) => each === change) ?? "values",
    inspect: said.get("inspect") === "1",
    tableLevel: said.get("level") !== "column",
    grouped: said.get("grouped") === "1",
    unfolded: said.get("unfolded") === "1",
    hidden: new Set((said.get("without") ?? "").split(",").filter(Boolean)),
    panel: (dataset !== null && mode !== "strip") || mode === "impact" || mode === "diff",
  };
  return { state, unknown };
}

/** Without a root of its own a link is about what it selects. */
function rootOf(column: ColumnId | null, dataset: DatasetId | null, root: DatasetId | null, path: ColumnId | null): { root: DatasetId | null; path: ColumnId | null } {
  if (path !== null) return { root: null, path };
  if (root !== null) return { root, path: null };
  if (column !== null) return { root: null, path: column };
  return { root: dataset, path: null };
}

function modeOf(mode: string | null, lineage: Lineage): Mode {
  if (mode === "impact" || mode === "list" || mode === "strip") return mode;
  return mode === "diff" && lineage.raw.diff ? "diff" : "graph";
}

function depthOf(text: string | null, usual: number): number {
  const depth = Number(text ?? usual);
  return Number.isInteger(depth) && depth >= 0 ? Math.min(depth, DEEPEST) : usual;
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
    if (!FRAMED && wanted !== (location.hash || "#")) history.pushState(null, "", wanted);
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

  /** The names of the address that are unknown; null if it says nothing. */
  restore(): string[] | null {
    const said = fromAddress(location.hash, this.lineage);
    if (!said) return null;
    this.set(said.state);
    return said.unknown;
  }
}
