// The picture: cards and the lines between them, moved, zoomed, hovered over and clicked.

import { clear, h, s } from "./dom.ts";
import type { Mark } from "./data.ts";
import type { Placed, Request } from "./layout.ts";
import type { ColumnId, DatasetId, EdgeId, Lineage, Trace, Why } from "./lineage.ts";
import { route, type Lane, type Layer } from "./routes.ts";
import { badgesOf, measure, rowAt, shapeOf, short, type Box, type Measure } from "./shape.ts";
import type { State, Store } from "./state.ts";
import { titled } from "./words.ts";
import workerSource from "worker:layout";

export interface Picture {
  boxes: Map<DatasetId, Box>;
  wires: Wire[];
  groups: Placed["groups"];
}

export interface Wire {
  from: DatasetId;
  to: DatasetId;
  /** The edges that the line stands for: one, or at table level all between two tables. */
  edges: EdgeId[];
  kind: string;
  path: string;
}

/** Beyond so many lines tables are joined by one line each, and the columns' own appear when they are hovered over. */
const MOST_WIRES = 2500;
/** Beyond so many cards their columns are not shown. */
const MOST_CARDS = 120;
/** Cards and lines are drawn so many at a time, so that the page goes on answering. */
const SLICE = 60;
/** How many neighbours one click brings in. */
export const HOP = 6;
const LABELLED = 14;
/** Cards that are drawn smaller than this cannot be read. */
const READABLE = 0.55;
/** Cards that are drawn smaller than this have their names above them, in letters that can be read. */
const FAR = 0.5;
const MARGIN = 12;
/** How far the name above a card may go beyond it: less than there is between two layers. */
const BESIDE = 70;

type Marks = Map<ColumnId, Why | Mark>;

export class Canvas {
  readonly stage: HTMLElement;
  private world: HTMLElement;
  private wiresLayer: SVGSVGElement;
  private groupsLayer: HTMLElement;
  private cardsLayer: HTMLElement;
  private cards = new Map<DatasetId, HTMLElement>();
  private lines = new Map<EdgeId, SVGPathElement[]>();
  private worker: Worker;
  private asked = 0;
  private widthOf: Measure;
  private view = { x: 0, y: 0, scale: 1 };
  private fitted = false;
  /** Whether the view is as it was fitted: nobody has moved it since. */
  private untouched = true;
  private after: (() => void)[] = [];
  picture: Picture = { boxes: new Map(), wires: [], groups: [] };
  private lanes: Record<string, Lane[]> = {};
  private layers: Layer[] = [];
  private scrolled = new Map<DatasetId, number>();
  private marks: Marks = new Map();

  constructor(
    private lineage: Lineage,
    private store: Store,
  ) {
    this.widthOf = measure();
    this.wiresLayer = s("svg", { class: "wires", "aria-hidden": "true" });
    this.groupsLayer = h("div", { class: "groups", "aria-hidden": "true" });
    this.cardsLayer = h("div", { class: "cards" });
    this.world = h("div", { class: "world" }, this.groupsLayer, this.wiresLayer, this.cardsLayer);
    this.stage = h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "Lineage graph" }, this.world);
    this.wiresLayer.append(markers());
    this.worker = new Worker(URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" })));
    this.worker.onmessage = (event: MessageEvent<Placed>) => void this.place(event.data);
    this.pan();
    this.zoom();
    this.hover();
    new ResizeObserver(() => this.untouched && this.begin()).observe(this.stage);
  }

  // -- layout ------------------------------------------------------------------------------------

  /** The cards of the state, laid out off the main thread; what was there stays until the answer comes. */
  arrange(state: State, fit: boolean): void {
    if (fit) this.fitted = false;
    const shown = [...state.shown];
    this.shapes = new Map(shown.map((dataset) => [dataset, shapeOf(this.lineage, dataset, isFlat(state), this.widthOf)]));
    const pairs = new Set<string>();
    for (const dataset of shown) {
      for (const other of this.lineage.tablesOutOf(dataset, withRows(state))) {
        if (state.shown.has(other)) pairs.add(`${dataset}>${other}`);
      }
    }
    const request: Request = {
      number: ++this.asked,
      nodes: shown.map((id) => {
        const { width, height } = this.shapes.get(id)!;
        return state.grouped ? { id, width, height, group: this.lineage.group(id) } : { id, width, height };
      }),
      edges: [...pairs].map((pair) => pair.split(">").map(Number) as [number, number]),
    };
    this.stage.classList.add("arranging");
    this.worker.postMessage(request);
  }

  private shapes = new Map<DatasetId, ReturnType<typeof shapeOf>>();

  private async place(answer: Placed): Promise<void> {
    if (answer.number !== this.asked) return;
    const boxes = new Map<DatasetId, Box>();
    for (const [dataset, shape] of this.shapes) boxes.set(dataset, { ...shape, ...answer.at[dataset]! });
    this.lanes = answer.lanes;
    this.layers = answer.layers;
    this.picture = { boxes, wires: [], groups: answer.groups };
    if (!this.fitted || this.untouched) {
      this.fitted = true;
      this.begin();
    }
    this.drawGroups();
    if (!(await this.drawCards(answer.number)) || !(await this.drawWires(answer.number))) return;
    this.stage.classList.remove("arranging");
    this.refresh();
    this.stage.dispatchEvent(new CustomEvent("arranged"));
    for (const each of this.after.splice(0)) each();
  }

  /** Once the next picture stands. */
  then(action: () => void): void {
    this.after.push(action);
  }

  // -- cards -------------------------------------------------------------------------------------

  /** False if another picture was asked for meanwhile. */
  private async drawCards(asked: number): Promise<boolean> {
    const state = this.store.now;
    let drawn = 0;
    for (const [dataset, card] of this.cards) {
      if (!this.picture.boxes.has(dataset)) {
        card.remove();
        this.cards.delete(dataset);
        this.scrolled.delete(dataset);
      }
    }
    for (const [dataset, box] of this.picture.boxes) {
      let card = this.cards.get(dataset);
      const look = `${box.rows}`;
      if (!card || card.dataset["look"] !== look) {
        card?.remove();
        card = this.card(dataset, box);
        card.dataset["look"] = look;
        this.cards.set(dataset, card);
        this.cardsLayer.append(card);
      }
      card.style.transform = `translate(${box.x}px, ${box.y}px)`;
      card.style.width = `${box.width}px`;
      card.style.height = `${box.height}px`;
      this.drawFoot(card, dataset, state);
      if (++drawn % SLICE === 0 && !(await this.still(asked))) return false;
    }
    return true;
  }

  /** Lets the browser answer first; whether this picture is still wanted. */
  private async still(asked: number): Promise<boolean> {
    await new Promise((go) => setTimeout(go));
    return asked === this.asked;
  }

  private card(dataset: DatasetId, box: Box): HTMLElement {
    const { lineage } = this;
    const name = lineage.name(dataset);
    const head = h(
      "button",
      { class: "head", type: "button", title: titled(name), "data-table": dataset },
      h("span", { class: "name" }, short(name)),
      h("span", { class: "kind" }, lineage.kind(dataset)),
    );
    const far = h("span", { class: "far-name", "aria-hidden": "true" }, short(name, 30));
    far.style.setProperty("--room", `${Math.floor((13 * (box.width + BESIDE)) / this.widthOf(short(name, 30), true))}px`);
    const card = h("article", { class: "card", "data-dataset": dataset, "data-kind": lineage.kind(dataset) }, head, far);
    if (box.rows) {
      const list = h("ul", { class: "rows", tabindex: box.scrolls ? 0 : null, "aria-label": `columns of ${titled(name)}` });
      list.append(...lineage.columns(dataset).map((column) => this.row(column)));
      list.style.height = `${box.rows * 24}px`;
      if (box.scrolls) card.append(this.finder(dataset, list));
      list.addEventListener("scroll", () => {
        this.scrolled.set(dataset, list.scrollTop);
        this.redrawWiresOf(dataset);
      });
      card.append(list);
    }
    card.append(h("div", { class: "foot" }));
    return card;
  }

  private row(column: ColumnId): HTMLElement {
    const { lineage } = this;
    const name = lineage.columnName(column);
    const type = lineage.type(column);
    const labels = badgesOf(lineage, column).map((label) => h("span", { class: "badge label" }, label));
    return h(
      "li",
      {},
      h(
        "button",
        { class: "row", type: "button", "data-column": column, title: titled(lineage.description(column) || name) },
        h("span", { class: "column-name" }, short(name)),
        ...this.doubts(column),
        ...labels,
        type ? h("span", { class: "type" }, short(type, 16)) : null,
      ),
    );
  }

  /** A dot for what the edges into a column make one look at. */
  private doubts(column: ColumnId): HTMLElement[] {
    const { lineage } = this;
    const found = new Map<string, string>();
    for (const edge of lineage.edgesInto(column)) {
      if (lineage.ambiguous(edge)) found.set("ambiguous", "ambiguous: several sources may be meant");
      const level = lineage.level(edge);
      if (level === "LOW") found.set("low", "low confidence");
      if (level === "UNKNOWN") found.set("dynamic", "dynamic: known only when it runs");
      const kind = lineage.edgeKind(edge);
      if (lineage.status(edge) === "modified" && kind !== "transform") found.set("drift", "its description differs from upstream's");
    }
    return [...found].map(([name, said]) => h("span", { class: `dot ${name}`, title: said, role: "img", "aria-label": said }));
  }

  /** The search inside of a wide table. */
  private finder(dataset: DatasetId, list: HTMLElement): HTMLElement {
    const columns = this.lineage.columns(dataset);
    const input = h("input", {
      class: "find",
      type: "search",
      placeholder: `find in ${columns.length} columns`,
      "aria-label": `find a column of ${titled(this.lineage.name(dataset))}`,
      input: () => {
        const wanted = input.value.toLowerCase();
        [...list.children].forEach((item, index) => {
          (item as HTMLElement).hidden = wanted !== "" && !this.lineage.columnName(columns[index]!).toLowerCase().includes(wanted);
        });
        list.scrollTop = 0;
        this.redrawWiresOf(dataset);
      },
    });
    return h("div", { class: "finder" }, input);
  }

  /** A column that is asked for is not hidden by what was typed before. */
  private unfilter(dataset: DatasetId): void {
    const input = this.cards.get(dataset)?.querySelector<HTMLInputElement>(".find");
    if (!input) return;
    input.value = "";
    input.dispatchEvent(new Event("input"));
  }

  /** ‹ 3 of 7 … +4 more ›: how many neighbours are shown on either side. */
  private drawFoot(card: HTMLElement, dataset: DatasetId, state: State): void {
    const side = (up: boolean): HTMLElement | null => {
      const all = up ? this.lineage.tablesInto(dataset, withRows(state)) : this.lineage.tablesOutOf(dataset, withRows(state));
      if (!all.length) return h("span", { class: "end" }, up ? "source" : "end");
      const seen = all.filter((other) => state.shown.has(other)).length;
      const rest = all.length - seen;
      const text = rest === 0 ? `${all.length}` : seen >= HOP ? `+${rest} more` : `${seen} of ${all.length}`;
      const where = up ? "upstream" : "downstream";
      const said = rest ? `show ${Math.min(rest, HOP)} more of ${all.length} tables ${where}` : `all ${all.length} tables ${where} are shown`;
      return h(
        "button",
        { class: `expand ${up ? "up" : "down"}`, type: "button", disabled: rest === 0, title: said, [up ? "data-up" : "data-down"]: dataset },
        up ? `‹ ${text}` : `${text} ›`,
      );
    };
    clear(card.querySelector(".foot")!, side(true), side(false));
  }

  private drawGroups(): void {
    clear(
      this.groupsLayer,
      this.picture.groups.map(({ name, x, y, width, height }) => {
        const box = h("div", { class: "group" }, h("span", {}, short(name)));
        box.style.cssText = `transform:translate(${x}px,${y}px);width:${width}px;height:${height}px`;
        return box;
      }),
    );
  }

  // -- lines -------------------------------------------------------------------------------------

  private async drawWires(asked: number): Promise<boolean> {
    const state = this.store.now;
    for (const line of this.wiresLayer.querySelectorAll(".wire, .wire-label")) line.remove();
    this.lines.clear();
    this.picture.wires = this.wiresOf(state);
    let drawn = 0;
    for (const wire of this.picture.wires) {
      this.draw(wire);
      if (++drawn % (10 * SLICE) === 0 && !(await this.still(asked))) return false;
    }
    return true;
  }

  private wiresOf(state: State): Wire[] {
    const edges = this.visibleEdges(state);
    if (!isFlat(state) && edges.length <= MOST_WIRES) return edges.map((edge) => this.wire([edge]));
    const pairs = new Map<string, EdgeId[]>();
    for (const edge of edges) {
      const pair = `${this.fromDataset(edge)}>${this.lineage.intoDataset(edge)}`;
      const known = pairs.get(pair);
      if (known) known.push(edge);
      else pairs.set(pair, [edge]);
    }
    return [...pairs.values()].map((several) => this.wire(several));
  }

  visibleEdges(state: State): EdgeId[] {
    const { lineage } = this;
    const found: EdgeId[] = [];
    for (const dataset of this.picture.boxes.keys()) {
      for (const column of lineage.columns(dataset)) {
        for (const edge of lineage.edgesInto(column)) if (this.isShown(edge, state)) found.push(edge);
      }
      if (withRows(state)) {
        for (const edge of lineage.rowsIntoDataset(dataset)) if (this.isShown(edge, state)) found.push(edge);
      }
    }
    return found;
  }

  private isShown(edge: EdgeId, state: State): boolean {
    return this.picture.boxes.has(this.fromDataset(edge)) && !state.hidden.has(this.lineage.edgeKind(edge));
  }

  private fromDataset(edge: EdgeId): DatasetId {
    return this.lineage.datasetOf[this.lineage.source(edge)]!;
  }

  private wire(edges: EdgeId[]): Wire {
    const { lineage } = this;
    const from = this.fromDataset(edges[0]!);
    const to = lineage.intoDataset(edges[0]!);
    const kinds = new Set(edges.map((edge) => lineage.edgeKind(edge)));
    const kind = kinds.size === 1 ? [...kinds][0]! : kinds.has("transform") ? "transform" : "rename";
    return { from, to, edges, kind, path: this.pathOf(edges, from, to) };
  }

  private pathOf(edges: EdgeId[], from: DatasetId, to: DatasetId): string {
    const { lineage } = this;
    const start = this.picture.boxes.get(from)!;
    const end = this.picture.boxes.get(to)!;
    const edge = edges[0]!;
    const single = edges.length === 1;
    const fromY = single ? this.heightOf(lineage.source(edge), from, start) : start.y + 23;
    const toY = single && lineage.isField(edge) ? this.heightOf(lineage.target(edge), to, end) : end.y + 23;
    const lanes = this.lanes[`${from}>${to}`] ?? this.lanes[`${to}>${from}`] ?? [];
    return route(start, fromY, end, toY, lanes, this.layers);
  }

  private heightOf(column: ColumnId, dataset: DatasetId, box: Box): number {
    if (box.scrolls) {
      const list = this.cards.get(dataset)?.querySelector<HTMLElement>(".rows");
      const row = list?.children[column - this.lineage.firstColumn(dataset)] as HTMLElement | undefined;
      if (row?.hidden) return box.y + 46;
      if (row && list) return rowAt(box, row.offsetTop / 24, list.scrollTop);
    }
    return rowAt(box, column - this.lineage.firstColumn(dataset), this.scrolled.get(dataset) ?? 0);
  }

  private draw(wire: Wire): void {
    const line = s("path", {
      class: `wire ${wire.kind}`,
      d: wire.path,
      "marker-end": `url(#arrow-${wire.kind})`,
      "data-edge": wire.edges.length === 1 ? wire.edges[0]! : null,
      "data-pair": `${wire.from}>${wire.to}`,
    });
    this.wiresLayer.append(line);
    for (const edge of wire.edges) {
      const known = this.lines.get(edge);
      if (known) known.push(line);
      else this.lines.set(edge, [line]);
    }
  }

  private redrawWiresOf(dataset: DatasetId): void {
    for (const wire of this.picture.wires) {
      if (wire.from !== dataset && wire.to !== dataset) continue;
      wire.path = this.pathOf(wire.edges, wire.from, wire.to);
      this.lines.get(wire.edges[0]!)?.[0]?.setAttribute("d", wire.path);
    }
  }

  // -- what is lit -------------------------------------------------------------------------------

  /** After every change: the pinned path, the impact, the selected edge. */
  refresh(preview: ColumnId | null = null): void {
    const state = this.store.now;
    const column = preview ?? state.column;
    this.stage.dataset["mode"] = state.mode;
    if (state.mode === "impact" && column !== null) this.lightImpact(column);
    else if (column !== null) this.light(this.lineage.path(column, state.inspect), column);
    else if (state.edge !== null) this.lightEdge(state.edge);
    else this.unlight();
    if (state.mode === "diff" && column === null && state.edge === null) this.markDiff();
    this.stage.classList.toggle("pinned", preview === null && state.column !== null);
  }

  /** Columns, lines and cards in the colours of what became of them. */
  private markDiff(): void {
    const { diff } = this.lineage.raw;
    if (!diff) return;
    this.mark(new Map(diff.columns));
    for (const [dataset, mark] of diff.datasets) this.cards.get(dataset)?.setAttribute("data-mark", mark);
    for (const [edge, mark] of diff.edges) for (const line of this.lines.get(edge) ?? []) line.setAttribute("data-mark", mark);
  }

  private light(trace: Trace, start: ColumnId | null): void {
    this.mark(new Map());
    this.stage.classList.add("tracing");
    this.lit(trace.columns, trace.edges, start);
  }

  private lightImpact(column: ColumnId): void {
    const found = this.lineage.impact(column).filter((each) => this.cards.has(this.lineage.datasetOf[each.column]!));
    const columns = new Set(found.map((each) => each.column));
    columns.add(column);
    const edges = new Set<EdgeId>();
    for (const each of columns) {
      for (const edge of this.lineage.edgesOutOf(each)) edges.add(edge);
      for (const edge of this.lineage.decidedBy(each)) edges.add(edge);
    }
    this.stage.classList.add("tracing");
    this.lit(columns, edges, column);
    this.mark(new Map(found.map((each) => [each.column, each.why])));
  }

  private lightEdge(edge: EdgeId): void {
    const columns = new Set([this.lineage.source(edge)]);
    if (this.lineage.isField(edge)) columns.add(this.lineage.target(edge));
    this.mark(new Map());
    this.stage.classList.add("tracing");
    this.lit(columns, new Set([edge]), null);
  }

  private unlight(): void {
    this.stage.classList.remove("tracing");
    this.mark(new Map());
    this.lit(new Set(), new Set(), null);
  }

  private lit(columns: Set<ColumnId>, edges: Set<EdgeId>, start: ColumnId | null): void {
    for (const [dataset, card] of this.cards) {
      let any = false;
      for (const row of card.querySelectorAll<HTMLElement>(".row")) {
        const column = Number(row.dataset["column"]);
        const on = columns.has(column);
        any ||= on;
        row.classList.toggle("on", on);
        row.classList.toggle("start", column === start);
      }
      if (!any) any = this.lineage.columns(dataset).some((column) => columns.has(column));
      card.classList.toggle("on", any);
    }
    const lines = new Set<Element>();
    for (const edge of edges) for (const line of this.lines.get(edge) ?? []) lines.add(line);
    for (const line of this.wiresLayer.querySelectorAll(".wire")) line.classList.toggle("on", lines.has(line));
    this.label(lines);
  }

  /** Lines that are lit say what they are, as long as there are few. */
  private label(lines: Set<Element>): void {
    for (const each of this.wiresLayer.querySelectorAll(".wire-label")) each.remove();
    if (!lines.size || lines.size > LABELLED) return;
    for (const line of lines as Set<SVGPathElement>) {
      const kind = [...line.classList].find((name) => name !== "wire" && name !== "on") ?? "";
      const middle = line.getPointAtLength(line.getTotalLength() / 2);
      this.wiresLayer.append(s("text", { class: `wire-label ${kind}`, x: middle.x, y: middle.y - 5, "text-anchor": "middle" }, kind));
    }
  }

  private mark(marks: Marks): void {
    for (const column of this.marks.keys()) this.rowOf(column)?.removeAttribute("data-why");
    for (const [column, why] of marks) this.rowOf(column)?.setAttribute("data-why", why);
    this.marks = marks;
  }

  rowOf(column: ColumnId): HTMLElement | null {
    const card = this.cards.get(this.lineage.datasetOf[column]!);
    return card?.querySelector(`.row[data-column="${column}"]`) ?? null;
  }

  cardOf(dataset: DatasetId): HTMLElement | undefined {
    return this.cards.get(dataset);
  }

  /** Rows of the path that are scrolled away inside of their cards come into sight. */
  reveal(columns: Iterable<ColumnId>): void {
    const done = new Set<DatasetId>();
    for (const column of columns) {
      const dataset = this.lineage.datasetOf[column]!;
      if (done.has(dataset) || !this.picture.boxes.get(dataset)?.scrolls) continue;
      done.add(dataset);
      const row = this.rowOf(column);
      const list = row?.closest<HTMLElement>(".rows");
      if (!row || !list) continue;
      if (row.parentElement!.hidden) this.unfilter(dataset);
      list.scrollTop = row.parentElement!.offsetTop - 96;
    }
  }

  // -- moving ------------------------------------------------------------------------------------

  private pan(): void {
    let from: { x: number; y: number } | null = null;
    this.stage.addEventListener("pointerdown", (event) => {
      const target = event.target as Element;
      if (event.button !== 0 || target.closest(".card, .wire")) return;
      from = { x: event.clientX - this.view.x, y: event.clientY - this.view.y };
      this.stage.setPointerCapture(event.pointerId);
      this.stage.classList.add("panning");
    });
    this.stage.addEventListener("pointermove", (event) => {
      if (from) this.look({ ...this.view, x: event.clientX - from.x, y: event.clientY - from.y });
    });
    const end = (): void => {
      from = null;
      this.stage.classList.remove("panning");
    };
    this.stage.addEventListener("pointerup", end);
    this.stage.addEventListener("pointercancel", end);
  }

  private zoom(): void {
    this.stage.addEventListener(
      "wheel",
      (event) => {
        const inside = (event.target as Element).closest<HTMLElement>(".rows");
        if (inside && !event.ctrlKey && inside.scrollHeight > inside.clientHeight) return;
        event.preventDefault();
        const box = this.stage.getBoundingClientRect();
        if (event.ctrlKey || Math.abs(event.deltaX) < Math.abs(event.deltaY)) {
          this.zoomAt(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
        } else this.look({ ...this.view, x: this.view.x - event.deltaX });
      },
      { passive: false },
    );
  }

  zoomBy(factor: number): void {
    this.zoomAt(factor, this.stage.clientWidth / 2, this.stage.clientHeight / 2);
  }

  private zoomAt(factor: number, x: number, y: number): void {
    const scale = Math.max(0.05, Math.min(2.5, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.look({ scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio });
  }

  panBy(x: number, y: number): void {
    this.look({ ...this.view, x: this.view.x + x, y: this.view.y + y });
  }

  private look(view: { x: number; y: number; scale: number }): void {
    this.untouched = false;
    this.view = view;
    this.world.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    this.stage.classList.toggle("far", view.scale < FAR);
    this.world.style.setProperty("--far", `${Math.min(30, 11 / view.scale)}px`);
    this.stage.dispatchEvent(new CustomEvent("moved"));
  }

  /** All cards, or some of them, in the middle; never larger than life. */
  fit(datasets: Iterable<DatasetId> = this.picture.boxes.keys()): void {
    const boxes = [...datasets].map((dataset) => this.picture.boxes.get(dataset)).filter((box) => box !== undefined);
    if (!boxes.length) return;
    const left = Math.min(...boxes.map((box) => box.x));
    const top = Math.min(...boxes.map((box) => box.y));
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    const [width, height] = [this.stage.clientWidth, this.stage.clientHeight];
    const scale = Math.max(0.05, Math.min(1, (width - 48) / (right - left), (height - 48) / (bottom - top)));
    this.look({ scale, x: width / 2 - (scale * (left + right)) / 2, y: height / 2 - (scale * (top + bottom)) / 2 });
    this.untouched = boxes.length === this.picture.boxes.size;
  }

  /** All of it; where that cannot be read, what was asked for. */
  private begin(): void {
    this.fit();
    this.comeCloser();
  }

  /** A picture that is too large to be read begins at what was asked for. */
  private comeCloser(): void {
    const { dataset, column, shown } = this.store.now;
    const least = dataset !== null ? READABLE : READABLE / 2;
    if (this.view.scale >= least || isFlat(this.store.now)) return;
    const asked = column !== null ? this.lineage.datasetOf[column]! : (dataset ?? [...shown][0]);
    const box = asked === undefined ? undefined : this.picture.boxes.get(asked);
    if (!box) return;
    this.view.scale = READABLE;
    this.centre(box.x + box.width / 2, box.y + box.height / 2);
    this.fill();
  }

  /** No empty half of the stage while cards are out of sight on the other side. */
  private fill(): void {
    const boxes = [...this.picture.boxes.values()];
    const { x, y, scale } = this.view;
    const pulled = (at: number, least: number, most: number, room: number): number => {
      const [first, last] = [least * scale + MARGIN, most * scale - MARGIN];
      if (last - first < room - 4 * MARGIN) return room / 2 - (first + last) / 2;
      return Math.max(room - last - 2 * MARGIN, Math.min(2 * MARGIN - first, at));
    };
    const left = Math.min(...boxes.map((box) => box.x));
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const top = Math.min(...boxes.map((box) => box.y));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    this.look({ scale, x: pulled(x, left, right, this.stage.clientWidth), y: pulled(y, top, bottom, this.stage.clientHeight) });
    this.untouched = true;
  }

  /** The part of the world that is to be seen. */
  window(): { x: number; y: number; width: number; height: number } {
    const { x, y, scale } = this.view;
    return { x: -x / scale, y: -y / scale, width: this.stage.clientWidth / scale, height: this.stage.clientHeight / scale };
  }

  centre(x: number, y: number): void {
    const { scale } = this.view;
    this.look({ scale, x: this.stage.clientWidth / 2 - x * scale, y: this.stage.clientHeight / 2 - y * scale });
  }

  // -- pointing ----------------------------------------------------------------------------------

  private hover(): void {
    let over: ColumnId | null = null;
    const preview = (column: ColumnId | null): void => {
      if (column === over) return;
      over = column;
      this.refresh(column);
    };
    this.cardsLayer.addEventListener("pointerover", (event) => {
      const row = (event.target as Element).closest<HTMLElement>(".row");
      preview(row ? Number(row.dataset["column"]) : null);
    });
    this.cardsLayer.addEventListener("pointerleave", () => preview(null));
    this.cardsLayer.addEventListener("focusin", (event) => {
      const row = (event.target as Element).closest<HTMLElement>(".row");
      if (row?.matches(":focus-visible")) preview(Number(row.dataset["column"]));
    });
    this.cardsLayer.addEventListener("focusout", () => preview(null));
  }
}

/** Of many cards only the heads are shown, whether that was asked for or not. */
export function isFlat(state: State): boolean {
  return state.tableLevel || state.shown.size > MOST_CARDS;
}

/** Whether the lines that decide rows are drawn. */
export function withRows(state: State): boolean {
  return state.inspect || state.mode === "impact";
}

function markers(): SVGDefsElement {
  const arrow = (kind: string): SVGMarkerElement =>
    s(
      "marker",
      { id: `arrow-${kind}`, class: `arrow ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      s("path", { d: "M0 0.5 8 4 0 7.5z" }),
    );
  return s("defs", {}, ...["copy", "rename", "transform", "inspect"].map(arrow));
}
