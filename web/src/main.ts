// The page: what stands where, what the keys do, and which change leads to which picture.

import { Canvas } from "./canvas.ts";
import { checked, unpacked, type Raw } from "./data.ts";
import { clear, h, redraw, rove } from "./dom.ts";
import * as exports from "./exports.ts";
import { Lineage, type ColumnId, type DatasetId } from "./lineage.ts";
import { ListView } from "./list.ts";
import { Minimap } from "./minimap.ts";
import { Palette } from "./palette.ts";
import { Panel, unread } from "./panel.ts";
import { Rail } from "./rail.ts";
import { isMap, LIMIT, Scenes } from "./scene.ts";
import { Scope, type Question } from "./scope.ts";
import { Search, type Hit } from "./search.ts";
import { Sides } from "./sides.ts";
import { pathMarkdown, Strip } from "./strip.ts";
import { around, DEEPEST, FRAMED, isPicture, START, Store, type Mode, type Side, type State } from "./state.ts";
import { counted, thousands, titled } from "./words.ts";

/** A change of one of these leads to another picture. */
const ARRANGING = ["mode", "root", "path", "up", "down", "more", "open", "fold", "query", "inspect", "tableLevel", "grouped", "unfolded", "hidden", "wide"] as const;
/** At table level what is selected decides which columns are shown. */
const SELECTING = ["dataset", "column", "edge"] as const;
/** A picture of other things is looked at from its beginning. */
const FITTING = ["mode", "root", "path", "up", "down", "fold", "query", "unfolded"] as const;

class Page {
  private store: Store;
  private canvas: Canvas;
  private rail: Rail;
  private scope: Scope;
  private panel: Panel;
  private list: ListView;
  private strip: Strip;
  private sides: Sides;
  private palette: Palette;
  private index: Search | null = null;
  private question: Question | null = null;
  /** The state of the picture that stands. */
  private stood: State = START;
  private help = h("dialog", { class: "help", "aria-label": "Keys" });
  private toolbar = h("div", { class: "toolbar", role: "toolbar", "aria-label": "View" });
  private legend: HTMLElement;
  private empty = h("div", { class: "empty", hidden: true });
  private status = h("p", { class: "status", role: "status" });
  private notes = h("div", { class: "notes" });
  /** Says to screen readers what is shown now. */
  private spoken = h("div", { class: "spoken", role: "status", "aria-live": "polite", "data-live": "" });

  constructor(
    private lineage: Lineage,
    private scenes: Scenes,
  ) {
    this.store = new Store(this.lineage);
    this.canvas = new Canvas(this.lineage, this.store, this.scenes);
    this.rail = new Rail(this.lineage, this.store, this.scenes, (dataset) => this.showTable(dataset));
    this.scope = new Scope(this.lineage, this.store, () => this.toMap());
    this.panel = new Panel(this.lineage, this.store);
    this.list = new ListView(this.lineage);
    this.strip = new Strip(this.lineage);
    this.sides = new Sides(this.lineage);
    this.palette = new Palette(
      () => (this.index ??= new Search(this.lineage, this.scenes.facets)),
      (hit, inImpact) => this.found(hit, inImpact),
    );
    this.legend = this.makeLegend();
    rove(this.toolbar, "button, summary");
    this.build();
    this.store.watch((now, before) => this.changed(now, before));
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("click", (event) => this.clicked(event));
    window.addEventListener("popstate", () => this.restore());
    this.canvas.stage.addEventListener("arranged", () => this.arranged());
    this.restore();
  }

  /** What the address says, or else what there is to begin with; names that it has in vain are reported. */
  private restore(): void {
    const unknown = this.store.restore();
    if (unknown === null) this.begin();
    if (unknown?.length) this.note("unknown", `The link names ${unknown.map((name) => `“${titled(name.slice(0, 80))}”`).join(", ")}, which this lineage does not have.`);
    else this.forget("unknown");
  }

  private build(): void {
    const title = h("h1", {}, h("button", { type: "button", class: "home", title: "the whole map", click: () => this.store.go({ ...START }) }, "lineal"));
    const drawer = h("button", { type: "button", class: "drawer", "aria-label": "tables and filters", title: "tables and filters (b)", click: () => this.toggleRail() }, "☰");
    const find = h("button", { type: "button", class: "search", click: () => this.palette.open() }, "Search ", h("kbd", {}, "/"));
    const picture = h("div", { class: "picture" }, this.canvas.stage, this.empty, new Minimap(this.canvas).element);
    const side = h("div", { class: "stage-box" }, this.scope.element, picture, this.sides.element, h("div", { class: "strip" }, this.legend, this.status));
    const main = h("main", {}, this.rail.element, side, this.list.element, this.strip.element, this.panel.element);
    const skip = h("button", { type: "button", class: "skip", click: () => this.skip() }, "Skip to the lineage");
    document.body.replaceChildren(skip, h("header", {}, drawer, title, find, this.toolbar), this.notes, ...this.banner(), main, this.palette.element, this.help, this.spoken);
    if (FRAMED || innerWidth < 900) document.body.classList.add("rail-closed");
    if (FRAMED) document.body.classList.add("framed");
    this.makeHelp();
  }

  /** Says what was not read, with the way to the ledger; nothing if everything was. */
  private banner(): HTMLElement[] {
    const { coverage } = this.lineage.raw;
    const words = unread(coverage);
    if (words === null) return [];
    const show = h("button", { type: "button", click: () => this.store.set({ tab: "coverage", panel: true }) }, "Show the ledger");
    return [h("section", { class: "banner", "aria-label": "Coverage" }, h("p", {}, `${words}: coverage ${coverage.percent} %.`), show)];
  }

  /** A line above the page, until it is closed. */
  note(key: string, text: string): void {
    this.forget(key);
    const line = h("p", { class: "note", role: "alert", "data-note": key }, h("span", {}, text), h("button", { type: "button", "aria-label": "close this message", click: () => line.remove() }, "×"));
    this.notes.append(line);
  }

  forget(key: string): void {
    for (const line of this.notes.querySelectorAll<HTMLElement>("[data-note]")) if (line.dataset["note"] === key) line.remove();
  }

  // -- where to begin ----------------------------------------------------------------------------

  private begin(): void {
    const { start } = this.lineage.raw;
    const column = start ? this.lineage.column(start) : undefined;
    const dataset = start ? this.lineage.dataset(start) : undefined;
    if (this.lineage.raw.diff && !start) this.store.set({ ...START, mode: "diff", panel: true });
    else if (dataset !== undefined) this.store.set({ ...START, ...around(dataset) });
    else if (column !== undefined) this.store.set({ ...START, ...around(this.lineage.datasetOf[column]!, column) });
    else this.store.set({ ...START });
  }

  private toMap(): void {
    const { inspect, tableLevel, hidden, query } = this.store.now;
    this.store.go({ ...START, inspect, tableLevel, hidden, query });
  }

  private isVisible(dataset: DatasetId): boolean {
    return isPicture(this.store.now.mode) && this.canvas.scene.holder.get(dataset) === dataset;
  }

  /** A table that is in the picture is selected there; else the picture is around it. */
  private showTable(dataset: DatasetId): void {
    const { mode } = this.store.now;
    const selected: Partial<State> = { dataset, column: null, edge: null, tab: "details", panel: true };
    if (mode === "impact") this.store.go(selected);
    else if (this.isVisible(dataset)) this.select(selected, dataset);
    else this.store.go({ mode: "graph", query: "", ...around(dataset) });
  }

  private showColumn(column: ColumnId): void {
    const dataset = this.lineage.datasetOf[column]!;
    const { mode } = this.store.now;
    const selected: Partial<State> = { dataset, column, edge: null, tab: "details", panel: true };
    if (mode === "impact") this.showImpact(column);
    else if (mode === "strip") this.store.go({ column, dataset });
    else if (this.isVisible(dataset)) this.select(selected, dataset);
    else this.store.go({ mode: "graph", query: "", ...around(dataset, column) });
  }

  /** Selects something in the picture, and moves it there if it is out of sight. */
  private select(change: Partial<State>, dataset: DatasetId): void {
    this.canvas.then(() => this.canvas.show(dataset));
    this.store.go(change);
  }

  private focusOn(): void {
    const { dataset, column } = this.store.now;
    if (dataset !== null) this.store.go({ mode: "graph", ...around(dataset, column) });
  }

  private showImpact(column: ColumnId): void {
    this.store.go({ mode: "impact", column, dataset: this.lineage.datasetOf[column]!, edge: null, wide: null, tab: "details", panel: true, open: null });
  }

  private found(hit: Hit, inImpact: boolean): void {
    if (inImpact && hit.kind === "column") this.showImpact(hit.id);
    else if (inImpact) this.store.go({ mode: "impact", dataset: hit.id, column: null, edge: null, panel: true, tab: "details" });
    else if (hit.kind === "dataset") this.showTable(hit.id);
    else this.showColumn(hit.id);
  }

  // -- what a change does ------------------------------------------------------------------------

  private changed(now: State, before: State): void {
    document.body.dataset["mode"] = now.mode;
    document.body.classList.toggle("panel-closed", !now.panel);
    const differs = (names: readonly (keyof State)[]): boolean => names.some((name) => now[name] !== before[name]);
    const first = !this.drawnOnce;
    this.drawnOnce = true;
    const arranged = first || differs(ARRANGING) || (now.tableLevel && differs(SELECTING));
    if (arranged) this.question = null;
    this.sides.draw(now);
    if (now.mode === "list" && (first || now.mode !== before.mode)) this.list.draw();
    if (now.mode === "strip" && (first || now.mode !== before.mode || now.column !== before.column)) this.strip.draw(now.column);
    if (isPicture(now.mode) && arranged) this.canvas.arrange(now, first || differs(FITTING) || (now.mode === "diff" && now.dataset !== before.dataset));
    else this.canvas.refresh();
    if (now.column !== null && now.column !== before.column) {
      const { columns } = this.lineage.path(now.column);
      this.canvas.reveal(columns);
      this.canvas.then(() => this.canvas.reveal(columns));
    }
    this.panel.draw(now);
    this.rail.draw(now);
    this.drawToolbar(now);
    this.drawScope();
    this.legend.hidden = !isPicture(now.mode);
    if (!isPicture(now.mode) || !arranged) this.speak();
  }

  private drawnOnce = false;

  private arranged(): void {
    this.stood = this.store.now;
    this.drawScope();
    this.speak();
  }

  private drawScope(): void {
    const { now } = this.store;
    const { scene } = this.canvas;
    this.scope.draw(now, scene, this.question);
    this.empty.hidden = scene.things.length > 0 || !isPicture(now.mode) || this.canvas.isBusy;
    this.empty.textContent = this.emptyWords(now);
    const tables = [...scene.holder.keys()].length;
    const all = this.lineage.datasetCount;
    this.status.textContent = `${thousands(tables)} of ${counted(all, this.lineage.noun)}`;
    if (scene.things.length !== tables) this.status.textContent += ` in ${scene.things.length} boxes and cards`;
  }

  private emptyWords(state: State): string {
    if (!this.lineage.datasetCount) return "There is no lineage in this input. Coverage in the details lists the files that were read.";
    if (state.query) return "No table matches the filter.";
    return "Nothing is shown. Press / to search.";
  }

  // -- tools -------------------------------------------------------------------------------------

  private drawToolbar(state: State): void {
    const toggle = (label: string, key: string, on: boolean, action: () => void): HTMLElement =>
      h("button", { type: "button", "aria-pressed": String(on), title: `${label} (${key})`, click: action }, label);
    const button = (label: string, title: string, action: () => void): HTMLElement => h("button", { type: "button", title, "aria-label": title, click: action }, label);
    const mode = (name: Mode, label: string, key: string): HTMLElement => toggle(label, key, state.mode === name, () => this.mode(name));
    redraw(
      this.toolbar,
      h("span", { class: "set" }, button("←", "back (Alt+←)", () => this.store.back()), button("→", "forward (Alt+→)", () => this.store.forward())),
      h("span", { class: "set" }, mode("graph", isMap(state, this.lineage) || state.mode !== "graph" ? "Map" : "Graph", "1"), mode("impact", "Impact", "2"), mode("list", "List", "3"), mode("strip", "Path", "5"), this.lineage.raw.diff ? mode("diff", "Changes", "4") : ""),
      h(
        "span",
        { class: "set" },
        toggle("Rows", "i", state.inspect, () => this.store.go({ inspect: !state.inspect })),
        toggle("Columns", "t", !state.tableLevel, () => this.store.go({ tableLevel: !state.tableLevel })),
        toggle("Groups", "g", state.grouped, () => this.store.go({ grouped: !state.grouped })),
      ),
      h("span", { class: "set zooms" }, button("Fit", "fit (f)", () => this.canvas.fit()), button("Zoom", "zoom to selection (z)", () => this.zoomToSelection()), button("+", "zoom in (+)", () => this.canvas.viewport.zoomBy(1.25)), button("−", "zoom out (-)", () => this.canvas.viewport.zoomBy(0.8))),
      this.exportMenu(),
      h("span", { class: "set" }, button("◐", "dark or light (d)", () => turn()), button("?", "keys (?)", () => this.help.showModal()), toggle("Details", "p", state.panel, () => this.store.set({ panel: !state.panel }))),
    );
    const tools = [...this.toolbar.querySelectorAll<HTMLElement>(".set button, summary")];
    const here = Math.max(0, tools.indexOf(document.activeElement as HTMLElement));
    tools.forEach((tool, index) => tool.setAttribute("tabindex", index === here ? "0" : "-1"));
  }

  /** What the picture is of. */
  private caption(): string {
    const { mode, root, path, column, dataset, query } = this.store.now;
    const name = column !== null ? this.lineage.fullName(column) : dataset !== null ? this.lineage.name(dataset) : "";
    const focus = path !== null ? `path of ${this.lineage.fullName(path)}` : root !== null ? `around ${this.lineage.name(root)}` : "map";
    const what = mode === "impact" && name ? `impact of a change of ${name}` : mode === "diff" ? "changes" : focus;
    return [this.lineage.raw.title, what, query].filter(Boolean).join(" · ");
  }

  private exportMenu(): HTMLElement {
    const item = (label: string, action: () => unknown): HTMLElement =>
      h("button", { type: "button", click: () => (menu.removeAttribute("open"), action()) }, label);
    const name = (ending: string): string => `lineage.${ending}`;
    const edges = (): number[] => exports.edgesOf(this.lineage, this.canvas, this.store.now);
    const picture = (): SVGSVGElement => exports.svg(this.lineage, this.canvas, this.caption());
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
        item("Mermaid of tables", () => exports.save(name("mmd"), new Blob([exports.mermaid(this.lineage, edges(), false)], { type: "text/plain" }))),
        item("Mermaid of columns", () => exports.save(name("mmd"), new Blob([exports.mermaid(this.lineage, edges(), true)], { type: "text/plain" }))),
        item("Copy link", () => this.copy(location.href, "link copied")),
        item("Page of this view", async () => exports.save(name("html"), new Blob([await exports.standalone(this.lineage.raw)], { type: "text/html" }))),
      ),
    );
    return menu;
  }

  private async copy(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.note("copied", done);
    } catch {
      this.note("copied", text);
    }
  }

  private mode(mode: Mode): void {
    const { column, mode: now } = this.store.now;
    if (mode === "impact" && column !== null) this.showImpact(column);
    else if (mode === "graph" && now === "graph") this.toMap();
    else this.store.go({ mode, edge: null, open: null, fold: null, panel: this.store.now.panel || mode === "impact" || mode === "diff", ...(mode === "diff" ? { column: null, dataset: null } : {}) });
  }

  /** To what is shown, past the tools and the rail. */
  private skip(): void {
    const { mode } = this.store.now;
    const view = mode === "list" ? this.list.element : mode === "strip" ? this.strip.element : this.canvas.stage;
    view.focus();
  }

  /** The name of the document, and for screen readers what has changed. */
  private speak(): void {
    const { now } = this.store;
    const { scene } = this.canvas;
    document.title = `${this.caption()} – lineal`;
    const selected = now.column !== null ? `Column ${this.lineage.fullName(now.column)}. ` : now.dataset !== null ? `Table ${this.lineage.name(now.dataset)}, ${counted(this.lineage.columnCountOf(now.dataset), "column")}. ` : "";
    const what = { graph: isMap(now, this.lineage) ? "Map" : "Graph", impact: "Impact of a change", list: "List of tables", strip: "Path of a column with SQL", diff: "Changes" }[now.mode];
    const size = isPicture(now.mode) ? `: ${counted(scene.holder.size, this.lineage.noun)} in ${scene.things.length} boxes and cards` : "";
    const text = titled(`${what}${size}. ${selected}`.trim());
    if (this.spoken.textContent !== text) this.spoken.textContent = text;
  }

  private toggleRail(): void {
    document.body.classList.toggle("rail-closed");
  }

  private zoomToSelection(): void {
    const { column, dataset } = this.store.now;
    if (column !== null) this.canvas.fit([...this.lineage.path(column).columns].map((each) => this.lineage.datasetOf[each]!));
    else if (dataset !== null) this.canvas.fit([dataset]);
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
      h("span", { class: "whys impact", title: "why a table or column is reached: its value, its rows, or both" }, why("contributed"), why("referenced"), why("both")),
      h("span", { class: "whys diff" }, why("added"), why("changed"), why("removed")),
    );
  }

  private makeHelp(): void {
    const keys: [string, string][] = [
      ["/ or Ctrl-K", "search"],
      ["Enter", "pin a column's path"],
      ["Esc", "let go"],
      ["u, Shift-U", "one step more upstream, downstream"],
      ["m", "the whole map"],
      ["o", "only the neighbors of the selection"],
      ["i", "lines that decide rows"],
      ["t", "columns of all tables"],
      ["b, p", "tables and filters, details"],
      ["g", "groups by schema or folder"],
      ["f, z", "fit, zoom to selection"],
      ["+ − arrows", "zoom, move"],
      ["1 2 3 4 5", "map, impact, list, changes, path of a column"],
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
    const table = number("table");
    const [link, pin, show, up, down, wide] = [number("table-link"), number("pin"), number("show"), number("up"), number("down"), number("wide")];
    const text = (name: string): string | null => target.closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? null;
    const [action, open, close] = [text("action"), text("open"), text("close")];
    const pair = target.closest<HTMLElement>(".wire")?.dataset["pair"];
    if (action) this.act(action);
    else if (column !== null) this.pin(column);
    else if (edge !== null) this.store.go({ edge, tab: "details", column: null, panel: true });
    else if (pair) this.openPair(pair);
    else if (open !== null) this.openBox(open);
    else if (close !== null) this.closeBox(close);
    else if (up !== null) this.expand(up, "up");
    else if (down !== null) this.expand(down, "down");
    else if (wide !== null) this.store.go({ wide });
    else if (table !== null) this.selectCard(table);
    else if (link !== null) this.showTable(link);
    else if (pin !== null) this.showColumn(pin);
    else if (show !== null) {
      if (this.store.now.mode === "impact") this.canvas.show(this.lineage.datasetOf[show]!);
      else this.showColumn(show);
    } else if (target.closest(".stage") && !target.closest(".card") && this.store.now.edge !== null) this.store.go({ edge: null });
  }

  private pin(column: ColumnId): void {
    if (this.store.now.mode === "impact") this.showImpact(column);
    else if (this.store.now.column === column) this.store.go({ column: null, edge: null });
    else this.store.go({ column, dataset: this.lineage.datasetOf[column]!, edge: null, tab: "details", panel: true });
  }

  /** The card itself: a second click lets go. */
  private selectCard(dataset: DatasetId): void {
    const { dataset: now, column, edge, mode } = this.store.now;
    const again = now === dataset && column === null && edge === null && mode === "graph";
    this.store.go({ dataset: again ? null : dataset, column: null, edge: null, wide: null, tab: "details", panel: true });
  }

  /** A line between two things: the edges of a pair of tables, or what is in a box. */
  private openPair(pair: string): void {
    const [from, to] = pair.split(">").map(Number) as [number, number];
    const box = [to, from].find((id) => id >= this.lineage.datasetCount);
    if (box !== undefined) this.openBox(this.scenes.box(box)!.key);
    else this.store.go({ dataset: to, column: null, edge: null, tab: "details", panel: true });
  }

  // -- boxes -------------------------------------------------------------------------------------

  /** Opens a box in its place; what would be too much is asked first. */
  private openBox(key: string): void {
    const open = new Set([...this.canvas.scene.open, key]);
    const next = { ...this.store.now, open };
    const things = this.scenes.of(next, this.canvas.isNarrow()).things.length;
    if (things <= LIMIT) {
      this.store.go({ open });
      return;
    }
    const alone = new Set([...open].filter((each) => each === key || key.startsWith(`${each}/`) || key.startsWith(`${each}~`) || key.startsWith(`${each}=`)));
    const ended = (): void => {
      this.question = null;
      this.drawScope();
    };
    this.question = {
      text: `With this box ${things} things would be shown, more than ${LIMIT}.`,
      answers: [
        { label: "Fold the other boxes", action: () => this.store.go({ open: alone }) },
        { label: "Cancel", action: ended },
      ],
    };
    this.drawScope();
    this.scope.element.querySelector<HTMLElement>("[role=alertdialog] button")?.focus();
  }

  private closeBox(key: string): void {
    this.store.go({ open: new Set([...this.canvas.scene.open].filter((each) => each !== key && !each.startsWith(`${key}/`) && !each.startsWith(`${key}~`) && !each.startsWith(`${key}=`))) });
  }

  private expand(dataset: DatasetId, side: Side): void {
    const { root, path, more, mode } = this.store.now;
    if (mode === "graph" && path === null && dataset === root) this.deepen(side);
    else if (mode === "graph") this.store.go({ more: [...more, [dataset, side]] });
    else this.store.go({ mode: "graph", ...around(dataset) });
  }

  private deepen(side: Side): void {
    const { root, path, dataset } = this.store.now;
    if (root === null && path === null) {
      if (dataset !== null) this.focusOn();
      return;
    }
    this.store.go({ [side]: Math.min(DEEPEST, this.store.now[side] + 1), fold: null, open: null });
  }

  private act(action: string): void {
    const { column, dataset } = this.store.now;
    if (action === "cancel") this.cancel();
    else if (action === "impact" && column !== null) this.showImpact(column);
    else if (action === "impact") this.store.go({ mode: "impact", edge: null, panel: true });
    else if (action === "unfold") this.store.go({ unfolded: true });
    else if (action === "focus") this.focusOn();
    else if (action === "alone" && dataset !== null) this.store.go({ mode: "graph", ...around(dataset), up: 0, down: 0 });
    else if (action === "strip") this.mode("strip");
    else if (action === "copy-path" && column !== null) void this.copy(pathMarkdown(this.lineage, column), "path copied");
    else if (action === "findings") this.store.go({ dataset: null, column: null, edge: null, tab: "details" });
    else if (action === "close") this.store.set({ panel: false });
    else if (action === "upstream") this.deepen("up");
    else if (action === "downstream") this.deepen("down");
  }

  /** The layout is given up, and the state is again that of the picture that stands. */
  private cancel(): void {
    if (this.canvas.cancel()) this.store.go({ ...this.stood });
  }

  private letGo(): void {
    if (this.canvas.isBusy) this.cancel();
    else this.store.go({ column: null, edge: null, wide: null, ...(this.store.now.column === null && this.store.now.edge === null ? { dataset: null } : {}), ...(this.store.now.mode === "impact" ? { mode: "graph" as const } : {}) });
  }

  // -- keys --------------------------------------------------------------------------------------

  private key(event: KeyboardEvent): void {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      this.palette.open();
      return;
    }
    const target = event.target as Element;
    const typing = target.closest?.("input, select, dialog") && target.checkVisibility();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const state = this.store.now;
    const actions: Record<string, () => void> = {
      "/": () => this.palette.open(),
      "?": () => this.help.showModal(),
      Escape: () => this.letGo(),
      i: () => this.store.go({ inspect: !state.inspect }),
      t: () => this.store.go({ tableLevel: !state.tableLevel }),
      g: () => this.store.go({ grouped: !state.grouped }),
      f: () => this.canvas.fit(),
      z: () => this.zoomToSelection(),
      u: () => this.deepen("up"),
      U: () => this.deepen("down"),
      m: () => this.toMap(),
      o: () => this.focusOn(),
      b: () => this.toggleRail(),
      p: () => this.store.set({ panel: !state.panel }),
      d: () => turn(),
      "1": () => this.mode("graph"),
      "2": () => this.mode("impact"),
      "3": () => this.mode("list"),
      "5": () => this.mode("strip"),
      "4": () => this.lineage.raw.diff && this.mode("diff"),
      "+": () => this.canvas.viewport.zoomBy(1.25),
      "-": () => this.canvas.viewport.zoomBy(0.8),
    };
    const moves: Record<string, [number, number]> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const move = moves[event.key];
    if (move && (event.target as Element).matches(".stage")) {
      event.preventDefault();
      this.canvas.viewport.panBy(...move);
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
  if (answer.status === 401) throw new Error("the server says 401: the token in the address is missing or wrong. Open the address that lineal serve printed.");
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  return checked((await answer.json()) as Raw);
}

const PAUSE = 1500;

/** The server's files have changed: the same address, with what is in them now. A server that is gone is reported. */
function follow(page: Page, known: string): void {
  setInterval(async () => {
    try {
      const answer = await asked("api/version");
      if (answer.status === 401) page.note("server", "The server does not know this page's token any more. Open the address that it printed.");
      if (!answer.ok) return;
      const { version, problem } = (await answer.json()) as { version: string; problem?: string };
      if (problem) page.note("server", `The files have changed, and could not be read again: ${problem}. The page shows the state before.`);
      else if (known !== version) location.reload();
      else page.forget("server");
    } catch {
      page.note("server", "The server has stopped. The page shows its last answer.");
    }
  }, PAUSE);
}

function asked(path: string): Promise<Response> {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  return fetch(path, { headers: { Authorization: `Bearer ${token}` } });
}

/** Lets the browser draw before a long step. */
function drawn(): Promise<void> {
  return new Promise((go) => setTimeout(go));
}

async function start(): Promise<void> {
  const script = document.getElementById("lineage");
  exports.keep();
  document.body.append(h("p", { class: "loading", role: "status" }, "Reading the lineage …"));
  await drawn();
  const raw = await data();
  script?.remove();
  await drawn();
  const lineage = new Lineage(raw);
  await drawn();
  const scenes = new Scenes(lineage);
  await drawn();
  const page = new Page(lineage, scenes);
  if (raw.at) follow(page, raw.at);
}

start().catch((problem: unknown) => {
  const said = problem instanceof Error ? problem.message : String(problem);
  clear(document.body, h("main", { class: "failed", role: "alert" }, h("h1", {}, "lineal"), h("p", {}, `The lineage cannot be shown: ${said}`)));
});
