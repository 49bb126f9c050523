// The rail on the left: filters that can be combined, and a tree of schemas, folders and tables to pick from. Only the rows
// that are to be seen are elements, whatever there is.

import { clear, h, redraw } from "./dom.ts";
import { icon } from "./icons.ts";
import type { DatasetId, Lineage } from "./lineage.ts";
import { FIELD_WORDS, FIELDS, isOn, toggled, type Field } from "./query.ts";
import type { Scenes } from "./scene.ts";
import { short } from "./shape.ts";
import type { State, Store } from "./state.ts";
import { counted, parted, thousands, titled } from "./words.ts";

const ROW = 26;
/** Rows above and below what is to be seen. */
const SPARE = 6;
/** A project that is no larger has its whole tree open. */
const SMALL = 60;
const MOST_VALUES = 8;

interface Branch {
  key: string;
  name: string;
  branches: Map<string, Branch>;
  tables: DatasetId[];
  count: number;
}

interface Row {
  branch: Branch | null;
  dataset: DatasetId;
  depth: number;
  /** Which of how many siblings: only some rows are elements. */
  at: number;
  of: number;
}

export class Rail {
  private input = h("input", {
    type: "search",
    class: "filter",
    "aria-label": "Filter tables",
    placeholder: "filter, as layer:marts",
    autocomplete: "off",
    spellcheck: "false",
    title: `Words of names, and ${FIELDS.map((field) => `${field}:`).join(" ")}. a,b is either, -tag:x leaves out.`,
    input: () => this.type(),
    change: () => this.store.go({}),
  });
  private filters = h("details", { class: "filters", toggle: () => this.filters.open && this.drawFilters(this.store.now.query) }, h("summary", {}, "Filters"));
  private count = h("p", { class: "quiet rail-count", role: "status" });
  private rowsBox = h("div", { class: "tree-rows", role: "presentation" });
  private tree = h("div", { class: "tree", role: "tree", "aria-label": "Tables", tabindex: 0 }, this.rowsBox);
  readonly element = h("nav", { class: "rail", "aria-label": "Tables and filters" }, h("div", { class: "rail-top" }, this.input, this.filters, this.count), this.tree);
  private open = new Set<string>();
  private rows: Row[] = [];
  private drawn = "";
  private at = 0;
  private more = new Set<Field>();

  constructor(
    private lineage: Lineage,
    private store: Store,
    private scenes: Scenes,
    private pick: (dataset: DatasetId) => void,
  ) {
    this.tree.addEventListener("scroll", () => this.window());
    this.tree.addEventListener("keydown", (event) => this.key(event));
    this.tree.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => this.window()).observe(this.tree);
  }

  private type(): void {
    this.store.set({ query: this.input.value, open: null });
  }

  draw(state: State): void {
    if (document.activeElement !== this.input) this.input.value = state.query;
    const seen = `${state.query} ${state.dataset}`;
    if (seen === this.drawn) return;
    this.drawn = seen;
    if (this.filters.open) this.drawFilters(state.query);
    const matches = this.scenes.matching(state.query);
    this.count.textContent = matches.size === this.lineage.datasetCount ? counted(matches.size, this.lineage.noun) : `${thousands(matches.size)} of ${counted(this.lineage.datasetCount, this.lineage.noun)}`;
    const root = this.branches(matches);
    this.rows = [];
    this.list(root, 0, matches.size <= SMALL);
    this.window();
  }

  // -- filters -----------------------------------------------------------------------------------

  private known: Map<Field, [string, number][]> | null = null;

  private drawFilters(query: string): void {
    this.known ??= new Map(FIELDS.filter((field) => field !== "in").map((field) => [field, this.scenes.facets.counts(field)]));
    const sets = [...this.known].filter(([, values]) => values.length > 0).map(([field, values]) => this.facet(field, values, query));
    redraw(this.filters, this.filters.querySelector("summary"), ...sets);
  }

  private facet(field: Field, values: [string, number][], query: string): HTMLElement {
    const all = this.more.has(field);
    const shown = values.filter(([value], index) => all || index < MOST_VALUES || isOn(query, field, value));
    const chips = shown.map(([value, count]) =>
      h(
        "button",
        { type: "button", class: "chip", "aria-pressed": String(isOn(query, field, value)), title: `${field}:${titled(value)}`, click: () => this.store.go({ query: toggled(this.store.now.query, field, value), open: null }) },
        short(value, 24),
        h("span", { class: "chip-count" }, thousands(count)),
      ),
    );
    const rest = values.length - shown.length;
    const more = h("button", { type: "button", class: "chip", click: () => (this.more.add(field), this.drawFilters(this.store.now.query)) }, `${rest} more`);
    return h("fieldset", { class: "facet" }, h("legend", {}, FIELD_WORDS[field]), ...chips, rest > 0 ? more : null);
  }

  // -- the tree ----------------------------------------------------------------------------------

  private branches(matches: Set<DatasetId>): Branch {
    const root: Branch = { key: "", name: "", branches: new Map(), tables: [], count: 0 };
    for (const dataset of matches) {
      let at = root;
      at.count++;
      for (const part of this.pathOf(dataset)) {
        let next = at.branches.get(part);
        if (!next) at.branches.set(part, (next = { key: `${at.key}/${part}`, name: part, branches: new Map(), tables: [], count: 0 }));
        next.count++;
        at = next;
      }
      at.tables.push(dataset);
    }
    return root;
  }

  private paths = new Map<DatasetId, string[]>();

  /** The schema of a table, or the folders of its file; a folder that has only the table says nothing. */
  private pathOf(dataset: DatasetId): string[] {
    let path = this.paths.get(dataset);
    if (!path) {
      const name = this.lineage.name(dataset);
      const [schema] = parted(name);
      const folders = this.foldersOf(dataset).slice(this.shared());
      if (folders.at(-1) === name) folders.pop();
      if (schema.includes("/")) path = [schema.slice(0, -1)];
      else path = schema ? schema.slice(0, -1).split(".") : folders;
      this.paths.set(dataset, path);
    }
    return path;
  }

  private foldersOf(dataset: DatasetId): string[] {
    const file = this.lineage.datasetPlace(dataset)?.file ?? "";
    return file.split("/").slice(0, -1).filter((part) => part && part !== ".." && part !== ".");
  }

  private sharedFolders: number | null = null;

  /** How many folders all files begin with: they tell nothing apart. */
  private shared(): number {
    if (this.sharedFolders === null) {
      let common: string[] | null = null;
      for (let dataset = 0; dataset < this.lineage.datasetCount; dataset++) {
        const folders = this.foldersOf(dataset);
        if (!this.lineage.datasetPlace(dataset)?.file) continue;
        let same = 0;
        while (common && same < common.length && common[same] === folders[same]) same++;
        common = common ? common.slice(0, same) : folders;
      }
      this.sharedFolders = common?.length ?? 0;
    }
    return this.sharedFolders;
  }

  /** A branch that is alone is left out: what is in it stands in its place. */
  private list(branch: Branch, depth: number, all: boolean): void {
    const branches = [...branch.branches.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    if (depth === 0 && branches.length === 1 && !branch.tables.length) {
      this.list(branches[0]!, 0, all);
      return;
    }
    const of = branches.length + branch.tables.length;
    for (const [index, each] of branches.entries()) {
      this.rows.push({ branch: each, dataset: -1, depth, at: index + 1, of });
      if (this.isOpen(each, all)) this.list(each, depth + 1, all);
    }
    const { lineage } = this;
    const tables = [...branch.tables].sort((a, b) => (lineage.name(a) < lineage.name(b) ? -1 : 1));
    for (const [index, dataset] of tables.entries()) this.rows.push({ branch: null, dataset, depth, at: branches.length + index + 1, of });
  }

  private isOpen(branch: Branch, all: boolean): boolean {
    return all !== this.open.has(branch.key);
  }

  /** The rows that are to be seen. */
  private window(): void {
    const first = Math.max(0, Math.floor(this.tree.scrollTop / ROW) - SPARE);
    const last = Math.min(this.rows.length, first + Math.ceil(this.tree.clientHeight / ROW) + 2 * SPARE);
    this.rowsBox.style.height = `${this.rows.length * ROW}px`;
    clear(this.rowsBox, this.rows.slice(first, last).map((row, index) => this.row(row, first + index)));
    if (this.rows.length) this.tree.setAttribute("aria-activedescendant", `tree-${this.at}`);
  }

  private row({ branch, dataset, depth, at, of }: Row, index: number): HTMLElement {
    const { lineage } = this;
    const name = branch ? branch.name : lineage.name(dataset);
    const all = this.scenes.matching(this.store.now.query).size <= SMALL;
    const open = branch !== null && this.isOpen(branch, all);
    const local = branch ? name : parted(name)[1];
    const item = h(
      "div",
      {
        class: `tree-row${branch ? " branch" : ""}${index === this.at ? " at" : ""}`,
        id: `tree-${index}`,
        role: "treeitem",
        "aria-level": depth + 1,
        "aria-posinset": at,
        "aria-setsize": of,
        "aria-expanded": branch ? String(open) : null,
        "aria-selected": String(!branch && dataset === this.store.now.dataset),
        "data-index": index,
        title: titled(name),
      },
      branch ? h("span", { class: "twig", "aria-hidden": "true" }, open ? "▾" : "▸") : icon(lineage.kind(dataset)),
      h("span", { class: "tree-name" }, short(local, 60)),
      branch ? h("span", { class: "chip-count" }, thousands(branch.count)) : lineage.diagnosticsOf(dataset).length ? h("span", { class: "alarm warning", title: counted(lineage.diagnosticsOf(dataset).length, "diagnostic") }, "!") : null,
    );
    item.style.cssText = `top:${index * ROW}px;padding-left:${6 + Math.min(depth, 8) * 12}px`;
    return item;
  }

  private clicked(event: MouseEvent): void {
    const item = (event.target as Element).closest<HTMLElement>("[data-index]");
    if (item) this.take(Number(item.dataset["index"]));
  }

  private take(index: number): void {
    const row = this.rows[index];
    if (!row) return;
    this.at = index;
    if (!row.branch) {
      this.pick(row.dataset);
      return;
    }
    if (this.open.has(row.branch.key)) this.open.delete(row.branch.key);
    else this.open.add(row.branch.key);
    this.drawn = "";
    this.draw(this.store.now);
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity }[event.key];
    const row = this.rows[this.at];
    if (step !== undefined) this.at = Math.max(0, Math.min(this.rows.length - 1, this.at + step));
    else if (event.key === "Enter" || event.key === " ") this.take(this.at);
    else if (row?.branch && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const open = this.isOpen(row.branch, this.scenes.matching(this.store.now.query).size <= SMALL);
      if (open === (event.key === "ArrowLeft")) this.take(this.at);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    const top = this.at * ROW;
    this.tree.scrollTop = Math.min(top, Math.max(this.tree.scrollTop, top + ROW - this.tree.clientHeight));
    this.window();
  }
}
