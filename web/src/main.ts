// The page: what stands where, what the keys do, and which change leads to which picture.

import { Canvas, HOP } from "./canvas.ts";
import { checked, unpacked, type Raw } from "./data.ts";
import { h } from "./dom.ts";
import * as exports from "./exports.ts";
import { Lineage, type ColumnId, type DatasetId } from "./lineage.ts";
import { ListView } from "./list.ts";
import { Minimap } from "./minimap.ts";
import { Palette } from "./palette.ts";
import { near, Panel, unread } from "./panel.ts";
import { Search, type Hit } from "./search.ts";
import { START, Store, type Mode, type State } from "./state.ts";

/** A project that is no larger is shown as a whole. */
const SMALL = 30;

class Page {
  private lineage: Lineage;
  private store: Store;
  private canvas: Canvas;
  private panel: Panel;
  private list: ListView;
  private palette: Palette;
  private index: Search | null = null;
  private help = h("dialog", { class: "help", "aria-label": "Keys" });
  private toolbar = h("div", { class: "toolbar", role: "toolbar", "aria-label": "View" });
  private legend: HTMLElement;
  private empty = h("div", { class: "empty", hidden: true });
  private status = h("p", { class: "status", role: "status" });

  constructor(raw: Raw) {
    this.lineage = new Lineage(raw);
    this.store = new Store(this.lineage);
    this.canvas = new Canvas(this.lineage, this.store);
    this.panel = new Panel(this.lineage, this.store);
    this.list = new ListView(this.lineage);
    this.palette = new Palette(
      () => (this.index ??= new Search(this.lineage)),
      (hit, inImpact) => this.found(hit, inImpact),
    );
    this.legend = this.makeLegend();
    this.build();
    this.store.watch((now, before) => this.changed(now, before));
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("click", (event) => this.clicked(event));
    window.addEventListener("popstate", () => this.restore());
    this.restore();
  }

  /** What the address says, or else what there is to begin with. */
  private restore(): void {
    if (!this.store.restore()) this.begin();
    else if (this.store.now.shown.size <= 1 && this.store.now.mode !== "list") this.around();
  }

  private build(): void {
    const title = h("h1", {}, "lineal");
    const find = h("button", { type: "button", class: "search", click: () => this.palette.open() }, "Search ", h("kbd", {}, "/"));
    const picture = h("div", { class: "picture" }, this.canvas.stage, this.empty);
    const side = h("div", { class: "stage-box" }, picture, h("div", { class: "strip" }, this.legend, this.status));
    this.panel.element.append(new Minimap(this.canvas).element);
    const main = h("main", {}, side, this.list.element, this.panel.element);
    document.body.replaceChildren(h("header", {}, title, find, this.toolbar), ...this.banner(), main, this.palette.element, this.help);
    document.title = `${this.lineage.raw.title} – lineal`;
    this.makeHelp();
  }

  /** Says what was not read, with the way to the ledger; nothing if everything was. */
  private banner(): HTMLElement[] {
    const { coverage } = this.lineage.raw;
    const words = unread(coverage);
    if (words === null) return [];
    const show = h("button", { type: "button", click: () => this.store.set({ tab: "coverage" }) }, "Show the ledger");
    return [h("section", { class: "banner", "aria-label": "Coverage" }, h("p", {}, `${words}: coverage ${coverage.percent} %.`), show)];
  }

  // -- where to begin ----------------------------------------------------------------------------

  private begin(): void {
    const { start } = this.lineage.raw;
    const column = start ? this.lineage.column(start) : undefined;
    const dataset = start ? this.lineage.dataset(start) : undefined;
    if (this.lineage.raw.diff && !start) this.showDiff();
    else if (dataset !== undefined) this.showTable(dataset);
    else if (column !== undefined) this.showColumn(column);
    else this.store.set({ ...START, shown: new Set(this.first()) });
  }

  private first(): DatasetId[] {
    const { datasetCount } = this.lineage;
    return datasetCount <= SMALL ? Array.from({ length: datasetCount }, (_, id) => id) : this.busiest();
  }

  /** Everything that was touched, and what stands beside it. */
  private showDiff(): void {
    const { diff } = this.lineage.raw;
    if (!diff) return;
    const touched = new Set(diff.datasets.map(([dataset]) => dataset));
    for (const [column] of diff.columns) touched.add(this.lineage.datasetOf[column]!);
    for (const [edge] of diff.edges) touched.add(this.lineage.intoDataset(edge)).add(this.lineage.datasetOf[this.lineage.source(edge)]!);
    this.store.go({ ...START, mode: "diff", shown: new Set([...touched].slice(0, 120)) });
  }

  /** The table that most others have to do with, and its neighbours: somewhere to begin. */
  private busiest(): DatasetId[] {
    let best = 0;
    let most = -1;
    for (let dataset = 0; dataset < this.lineage.datasetCount; dataset++) {
      const count = this.lineage.tablesInto(dataset, false).length + this.lineage.tablesOutOf(dataset, false).length;
      if (count > most) [best, most] = [dataset, count];
    }
    return this.near(best);
  }

  private near(dataset: DatasetId): DatasetId[] {
    const { inspect } = this.store.now;
    return [dataset, ...this.lineage.tablesInto(dataset, inspect).slice(0, HOP), ...this.lineage.tablesOutOf(dataset, inspect).slice(0, HOP)];
  }

  private around(): void {
    const { column, dataset, mode } = this.store.now;
    if (column !== null && mode === "impact") this.showImpact(column, true);
    else if (column !== null) this.store.set({ shown: new Set(this.onPath(column)) });
    else if (dataset !== null) this.store.set({ shown: new Set(this.near(dataset)) });
    else if (mode === "diff") this.showDiff();
    else if (!this.store.now.shown.size) this.store.set({ shown: new Set(this.first()) });
  }

  private showTable(dataset: DatasetId): void {
    const { shown, mode } = this.store.now;
    const graph: Partial<State> = { mode: mode === "list" ? "graph" : mode, dataset, column: null, edge: null, tab: "details" };
    this.store.go({ ...graph, shown: shown.has(dataset) ? shown : new Set(this.near(dataset)) });
  }

  /** A column's path, as far as it is small; a step in either direction otherwise. */
  private showColumn(column: ColumnId): void {
    const { shown, mode } = this.store.now;
    const path = this.onPath(column);
    const there = path.every((dataset) => shown.has(dataset));
    this.store.go({
      mode: mode === "list" ? "graph" : mode,
      column,
      dataset: this.lineage.datasetOf[column]!,
      edge: null,
      tab: "details",
      shown: there || shown.has(this.lineage.datasetOf[column]!) ? shown : new Set(path),
    });
  }

  private onPath(column: ColumnId): DatasetId[] {
    const { columns } = this.lineage.path(column);
    const datasets = new Set([this.lineage.datasetOf[column]!, ...[...columns].map((each) => this.lineage.datasetOf[each]!)]);
    return datasets.size <= 40 ? [...datasets] : this.near(this.lineage.datasetOf[column]!);
  }

  private showImpact(column: ColumnId, quietly = false): void {
    const { unfolded } = this.store.now;
    const reached = this.lineage.impact(column).filter((each) => unfolded || near(each));
    const shown = new Set([this.lineage.datasetOf[column]!, ...reached.map((each) => this.lineage.datasetOf[each.column]!)]);
    const limited = new Set([...shown].slice(0, 120));
    const change: Partial<State> = { mode: "impact", column, dataset: this.lineage.datasetOf[column]!, edge: null, shown: limited, tab: "details" };
    if (quietly) this.store.set(change);
    else this.store.go(change);
  }

  private found(hit: Hit, inImpact: boolean): void {
    if (hit.kind === "dataset") this.showTable(hit.id);
    else if (inImpact || this.store.now.mode === "impact") this.showImpact(hit.id);
    else this.showColumn(hit.id);
    this.canvas.then(() => this.zoomToSelection());
  }

  // -- what a change does ------------------------------------------------------------------------

  private changed(now: State, before: State): void {
    document.body.dataset["mode"] = now.mode;
    const arranged = now.shown !== before.shown || now.inspect !== before.inspect || now.tableLevel !== before.tableLevel || now.grouped !== before.grouped || now.hidden !== before.hidden;
    const switched = now.mode !== before.mode;
    if (now.mode === "list" && switched) this.list.draw();
    if (now.mode !== "list" && (arranged || switched)) this.canvas.arrange(now, now.shown !== before.shown);
    else this.canvas.refresh();
    if (now.column !== null && now.column !== before.column) {
      const { columns } = this.lineage.path(now.column);
      this.canvas.reveal(columns);
      this.canvas.then(() => this.canvas.reveal(columns));
    }
    this.panel.draw(now);
    this.drawToolbar(now);
    this.legend.hidden = now.mode === "list";
    this.empty.hidden = now.shown.size > 0 || now.mode === "list";
    this.empty.textContent = this.lineage.datasetCount ? "Nothing is shown. Press / to search." : "There is no lineage in this input.";
    this.status.textContent = `${now.shown.size} of ${this.lineage.datasetCount} tables`;
  }

  // -- tools -------------------------------------------------------------------------------------

  private drawToolbar(state: State): void {
    const toggle = (label: string, key: string, on: boolean, action: () => void): HTMLElement =>
      h("button", { type: "button", "aria-pressed": String(on), title: `${label} (${key})`, click: action }, label);
    const button = (label: string, title: string, action: () => void): HTMLElement => h("button", { type: "button", title, "aria-label": title, click: action }, label);
    const mode = (name: Mode, label: string, key: string): HTMLElement => toggle(label, key, state.mode === name, () => this.mode(name));
    this.toolbar.replaceChildren(
      h("span", { class: "set" }, button("←", "back (Alt+←)", () => this.store.back()), button("→", "forward (Alt+→)", () => this.store.forward())),
      h("span", { class: "set" }, mode("graph", "Graph", "1"), mode("impact", "Impact", "2"), mode("list", "List", "3"), this.lineage.raw.diff ? mode("diff", "Changes", "4") : ""),
      h(
        "span",
        { class: "set" },
        toggle("Rows", "i", state.inspect, () => this.store.go({ inspect: !state.inspect })),
        toggle("Tables", "t", state.tableLevel, () => this.store.go({ tableLevel: !state.tableLevel })),
        toggle("Groups", "g", state.grouped, () => this.store.go({ grouped: !state.grouped })),
      ),
      h("span", { class: "set" }, button("Fit", "fit (f)", () => this.canvas.fit()), button("Zoom", "zoom to selection (z)", () => this.zoomToSelection()), button("+", "zoom in (+)", () => this.canvas.zoomBy(1.25)), button("−", "zoom out (-)", () => this.canvas.zoomBy(0.8))),
      this.exportMenu(),
      h("span", { class: "set" }, button("◐", "dark or light (d)", () => turn()), button("?", "keys (?)", () => this.help.showModal())),
    );
  }

  private exportMenu(): HTMLElement {
    const item = (label: string, action: () => unknown): HTMLElement =>
      h("button", { type: "button", click: () => (menu.removeAttribute("open"), action()) }, label);
    const name = (ending: string): string => `lineage.${ending}`;
    const edges = (): number[] => exports.edgesOf(this.lineage, this.canvas, this.store.now);
    const picture = (): SVGSVGElement => exports.svg(this.lineage, this.canvas);
    const menu = h(
      "details",
      { class: "menu" },
      h("summary", {}, "Export"),
      h(
        "div",
        {},
        item("SVG", () => exports.save(name("svg"), new Blob([new XMLSerializer().serializeToString(picture())], { type: "image/svg+xml" }))),
        item("PNG", async () => exports.save(name("png"), await exports.png(picture()))),
        item("CSV", () => exports.save(name("csv"), new Blob([exports.csv(this.lineage, edges())], { type: "text/csv" }))),
        item("Mermaid", () => exports.save(name("mmd"), new Blob([exports.mermaid(this.lineage, edges())], { type: "text/plain" }))),
        item("Copy link", () => this.copyLink()),
      ),
    );
    return menu;
  }

  private async copyLink(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      this.status.textContent = "link copied";
    } catch {
      this.status.textContent = location.href;
    }
  }

  private mode(mode: Mode): void {
    const { column } = this.store.now;
    if (mode === "impact" && column !== null) this.showImpact(column);
    else if (mode === "diff") this.showDiff();
    else this.store.go({ mode });
  }

  private zoomToSelection(): void {
    const { column, dataset, shown } = this.store.now;
    if (column !== null) {
      const on = new Set([...this.lineage.path(column).columns].map((each) => this.lineage.datasetOf[each]!));
      this.canvas.fit([...on].filter((each) => shown.has(each)));
    } else if (dataset !== null) this.canvas.fit([dataset]);
    else this.canvas.fit();
  }

  private makeLegend(): HTMLElement {
    const kind = (name: string, said: string): HTMLElement => {
      const box = h("input", {
        type: "checkbox",
        checked: true,
        change: () => {
          const hidden = new Set(this.store.now.hidden);
          if (box.checked) hidden.delete(name);
          else hidden.add(name);
          this.store.go({ hidden });
        },
      });
      return h("label", {}, box, h("span", { class: `sample ${name}`, "aria-hidden": "true" }), said);
    };
    const why = (name: string): HTMLElement => h("span", { class: "why", "data-why": name }, name);
    return h(
      "fieldset",
      { class: "legend" },
      h("legend", {}, "Lines"),
      kind("copy", "copy"),
      kind("rename", "rename"),
      kind("transform", "transform"),
      h("span", { class: "rows-note" }, h("span", { class: "sample inspect", "aria-hidden": "true" }), "inspect (i)"),
      h("span", { class: "whys impact" }, why("contributed"), why("referenced"), why("both")),
      h("span", { class: "whys diff" }, why("added"), why("changed"), why("removed")),
    );
  }

  private makeHelp(): void {
    const keys: [string, string][] = [
      ["/ or Ctrl-K", "search"],
      ["Enter", "pin a column's path"],
      ["Esc", "let go"],
      ["u, Shift-U", "all upstream, all downstream"],
      ["i", "lines that decide rows"],
      ["t", "tables only"],
      ["g", "groups by schema or folder"],
      ["f, z", "fit, zoom to selection"],
      ["+ − arrows", "zoom, move"],
      ["1 2 3 4", "graph, impact, list, changes"],
      ["d", "dark or light"],
    ];
    this.help.append(
      h("h2", {}, "Keys"),
      h("dl", {}, ...keys.flatMap(([key, said]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, said)])),
      h("button", { type: "button", click: () => this.help.close() }, "Close"),
    );
  }

  // -- clicks ------------------------------------------------------------------------------------

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const number = (name: string): number | null => {
      const holder = target.closest(`[data-${name}]`);
      return holder ? Number(holder.getAttribute(`data-${name}`)) : null;
    };
    const menu = document.querySelector("details.menu[open]");
    if (menu && !menu.contains(target)) menu.removeAttribute("open");
    const column = number("column");
    const edge = number("edge") ?? number("open-edge");
    const table = number("table") ?? number("table-link");
    const [pin, show, up, down] = [number("pin"), number("show"), number("up"), number("down")];
    const action = target.closest<HTMLElement>("[data-action]")?.dataset["action"];
    const pair = target.closest<HTMLElement>(".wire")?.dataset["pair"];
    if (action) this.act(action);
    else if (column !== null) this.pin(column);
    else if (edge !== null) this.store.go({ edge, tab: "details", column: null });
    else if (pair) this.openPair(pair);
    else if (up !== null) this.expand(up, true);
    else if (down !== null) this.expand(down, false);
    else if (table !== null) this.showTable(table);
    else if (pin !== null) this.showColumn(pin);
    else if (show !== null) {
      if (this.store.now.mode === "impact") this.canvas.fit([this.lineage.datasetOf[show]!]);
      else this.showColumn(show);
    } else if (target.closest(".stage") && !target.closest(".card") && this.store.now.edge !== null) this.store.go({ edge: null });
  }

  private pin(column: ColumnId): void {
    if (this.store.now.mode === "impact") this.showImpact(column);
    else if (this.store.now.column === column) this.store.go({ column: null, edge: null });
    else this.store.go({ column, dataset: this.lineage.datasetOf[column]!, edge: null, tab: "details" });
  }

  /** A line between two tables: the table that it leads into. */
  private openPair(pair: string): void {
    this.store.go({ dataset: Number(pair.split(">")[1]), column: null, edge: null, tab: "details" });
  }

  private expand(dataset: DatasetId, up: boolean): void {
    const { shown, inspect } = this.store.now;
    const all = up ? this.lineage.tablesInto(dataset, inspect) : this.lineage.tablesOutOf(dataset, inspect);
    const more = all.filter((other) => !shown.has(other)).slice(0, HOP);
    this.store.go({ shown: new Set([...shown, ...more]) });
  }

  private act(action: string): void {
    const { column, dataset, shown, inspect } = this.store.now;
    if (action === "impact" && column !== null) this.showImpact(column);
    else if (action === "unfold" && column !== null) {
      this.store.set({ unfolded: true });
      this.showImpact(column);
    } else if (action === "alone" && dataset !== null) this.store.go({ shown: new Set([dataset]) });
    else if (action === "upstream" || action === "downstream") {
      const up = action === "upstream";
      const next = (each: DatasetId): DatasetId[] => (up ? this.lineage.tablesInto(each, inspect) : this.lineage.tablesOutOf(each, inspect));
      const more =
        column !== null
          ? [...this.lineage.trace([column], up).columns].map((each) => this.lineage.datasetOf[each]!)
          : dataset !== null
            ? this.lineage.allTables([dataset], next)
            : [];
      this.store.go({ shown: new Set([...shown, ...more]) });
    }
  }

  // -- keys --------------------------------------------------------------------------------------

  private key(event: KeyboardEvent): void {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      this.palette.open();
      return;
    }
    const typing = (event.target as Element).closest?.("input, select, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const state = this.store.now;
    const actions: Record<string, () => void> = {
      "/": () => this.palette.open(),
      "?": () => this.help.showModal(),
      Escape: () => this.store.go({ column: null, edge: null, ...(state.mode === "impact" ? { mode: "graph" as const } : {}) }),
      i: () => this.store.go({ inspect: !state.inspect }),
      t: () => this.store.go({ tableLevel: !state.tableLevel }),
      g: () => this.store.go({ grouped: !state.grouped }),
      f: () => this.canvas.fit(),
      z: () => this.zoomToSelection(),
      u: () => this.act("upstream"),
      U: () => this.act("downstream"),
      d: () => turn(),
      "1": () => this.mode("graph"),
      "2": () => this.mode("impact"),
      "3": () => this.mode("list"),
      "4": () => this.lineage.raw.diff && this.mode("diff"),
      "+": () => this.canvas.zoomBy(1.25),
      "-": () => this.canvas.zoomBy(0.8),
    };
    const moves: Record<string, [number, number]> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const move = moves[event.key];
    if (move && (event.target as Element).matches(".stage")) {
      event.preventDefault();
      this.canvas.panBy(...move);
    } else if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]!();
    }
  }
}

/** Dark or light, as the system says until somebody asks for the other. */
function turn(): void {
  const root = document.documentElement;
  const dark = root.dataset["theme"] ? root.dataset["theme"] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = dark ? "light" : "dark";
}

async function data(): Promise<Raw> {
  const held = document.getElementById("lineage")?.textContent ?? "";
  if (held.trim()) return unpacked(held);
  const answer = await asked("api/lineage");
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  return checked((await answer.json()) as Raw);
}

/** The server's files have changed: the same address, with what is in them now. */
function follow(known: string): void {
  setInterval(async () => {
    try {
      const { version } = (await (await asked("api/version")).json()) as { version: string };
      if (known !== version) location.reload();
    } catch {
      // the server is gone; what is shown stays
    }
  }, 1500);
}

function asked(path: string): Promise<Response> {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  return fetch(path, { headers: { Authorization: `Bearer ${token}` } });
}

data()
  .then((raw) => {
    new Page(raw);
    if (raw.at) follow(raw.at);
  })
  .catch((problem: unknown) => {
    document.body.textContent = `The lineage cannot be shown: ${problem instanceof Error ? problem.message : String(problem)}`;
  });
