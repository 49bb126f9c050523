// The picture: things and the lines between them, hovered over and clicked.

import { boxCard, boxCount, Cards } from "./cards.ts";
import { clear, h, s } from "./dom.ts";
import type { Mark } from "./data.ts";
import type { Placed, Request } from "./layout.ts";
import type { ColumnId, DatasetId, EdgeId, Lineage, Why } from "./lineage.ts";
import { downwards, route, type Lane, type Layer, type Place } from "./routes.ts";
import { Rows, type Columns } from "./rows.ts";
import { isMap, marksOf, withRows, type Bond, type Scene, type Scenes, type Thing } from "./scene.ts";
import { boxShape, HEAD, measure, ROW, rowAt, shapeOf, short, type Box, type Measure } from "./shape.ts";
import type { State, Store } from "./state.ts";
import { bounds, FAR, LEAST, TITLES, Viewport } from "./viewport.ts";
import { thousands, titled } from "./words.ts";
import workerSource from "worker:layout";

export interface Picture {
  boxes: Map<number, Box>;
  wires: Wire[];
  groups: Placed["groups"];
  bands: Band[];
}

export interface Wire {
  from: number;
  to: number;
  /** The edge that the line stands for, or -1 for all between two things. */
  edge: EdgeId;
  /** How many pairs of tables it stands for. */
  count: number;
  kind: string;
  path: string;
}

export interface Band extends Place {
  name: string;
  key: string;
  count: number;
  open: boolean;
}

/** Beyond so many lines tables are joined by one line each. */
const MOST_WIRES = 2500;
/** Beyond so many tables their columns are not shown. */
const MOST_CARDS = 60;
/** Cards and lines are drawn so many at a time, so that the page goes on answering. */
const SLICE = 25;
const LABELLED = 14;
/** Beyond so many lines they are drawn fainter. */
const DENSE = 40;
const CROWDED = 140;
/** A stage that is narrower is filled from top to bottom. */
export const NARROW = 560;
const BAND = 18;

type Marks = Map<ColumnId, Why | Mark>;
const EMPTY: Scene = { things: [], bonds: [], holder: new Map(), layers: [], ask: null, open: new Set(), matching: 0 };

export class Canvas {
  readonly stage: HTMLElement;
  readonly viewport: Viewport;
  private world: HTMLElement;
  private wiresLayer: SVGSVGElement;
  private bandsLayer: HTMLElement;
  private cardsLayer: HTMLElement;
  private working = h("div", { class: "working", hidden: true }, h("span", {}, "Arranging …"), h("button", { type: "button", "data-action": "cancel" }, "Cancel"));
  private cards = new Map<number, HTMLElement>();
  /** Cards stand behind it in the order of the things. */
  private first = h("span", { hidden: true });
  private maker: Cards;
  private edgeLines = new Map<EdgeId, SVGPathElement>();
  private pairLines = new Map<string, SVGPathElement>();
  private worker: Worker;
  private asked = 0;
  private widthOf: Measure;
  private fitted = false;
  private after: (() => void)[] = [];
  picture: Picture = { boxes: new Map(), wires: [], groups: [], bands: [] };
  scene: Scene = EMPTY;
  private nextScene: Scene = EMPTY;
  private columns = new Map<DatasetId, Columns>();
  private nextColumns = new Map<DatasetId, Columns>();
  private shapes = new Map<number, ReturnType<typeof shapeOf>>();
  private lanes: Record<string, Lane[]> = {};
  private layers: Layer[] = [];
  private vertical = false;
  private marks: Marks = new Map();

  constructor(
    private lineage: Lineage,
    private store: Store,
    private scenes: Scenes,
  ) {
    this.widthOf = measure();
    this.maker = new Cards(lineage, (dataset) => this.redrawWiresOf(dataset));
    this.wiresLayer = s("svg", { class: "wires", "aria-hidden": "true" });
    this.bandsLayer = h("div", { class: "bands" });
    this.cardsLayer = h("div", { class: "cards" }, this.first);
    this.world = h("div", { class: "world" }, this.bandsLayer, this.wiresLayer, this.cardsLayer);
    this.stage = h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "Lineage graph. Tab goes to the tables, arrow keys go from table to table" }, this.world, this.working);
    this.viewport = new Viewport(this.stage, this.world, () => [...this.picture.boxes.values()]);
    this.wiresLayer.append(markers());
    this.worker = this.started();
    this.hover();
    this.followSize();
  }

  /** A window of another size is filled again; a panel that opens leaves the picture where it is, unless it is the whole map. */
  private followSize(): void {
    let narrow: boolean | null = null;
    let size = `${innerWidth} ${innerHeight}`;
    new ResizeObserver(() => {
      const turned = narrow !== null && narrow !== this.isNarrow();
      const same = size === `${innerWidth} ${innerHeight}`;
      narrow = this.isNarrow();
      size = `${innerWidth} ${innerHeight}`;
      if (turned && this.asked) this.arrange(this.store.now, true);
      else if (this.viewport.untouched && (!same || this.isOverview())) this.begin();
      else this.stage.dispatchEvent(new CustomEvent("moved"));
    }).observe(this.stage);
  }

  /** Whether the whole map is looked at and nothing is selected. */
  private isOverview(): boolean {
    const { dataset, column, edge } = this.store.now;
    return isMap(this.store.now, this.lineage) && dataset === null && column === null && edge === null;
  }

  private started(): Worker {
    const worker = new Worker(URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" })));
    worker.onmessage = (event: MessageEvent<Placed>) => void this.place(event.data);
    return worker;
  }

  isNarrow(): boolean {
    return this.stage.clientWidth > 0 && this.stage.clientWidth < NARROW;
  }

  // -- layout ------------------------------------------------------------------------------------

  /** The things of a state, laid out off the main thread; what was there stays until the answer comes. */
  arrange(state: State, fit: boolean): void {
    if (fit) this.fitted = false;
    const scene = this.scenes.of(state, this.isNarrow());
    const tables = scene.things.filter((thing) => thing.what === "table");
    const flat = tables.length > MOST_CARDS && !state.tableLevel;
    const rows = new Rows(this.lineage, flat ? { ...state, tableLevel: true } : state, new Set(tables.map((thing) => thing.id)));
    const foot = !isMap(state, this.lineage);
    this.nextScene = scene;
    this.nextColumns = new Map(tables.map(({ id }) => [id, rows.of(id)]));
    this.shapes = new Map(scene.things.map((thing) => [thing.id, this.shape(thing, foot)]));
    this.vertical = this.isNarrow();
    this.ask(this.request(scene, state));
  }

  private shape(thing: Thing, foot: boolean): ReturnType<typeof shapeOf> {
    if (thing.what !== "table") return boxShape(thing.name, boxCount(thing), this.widthOf);
    return shapeOf(this.lineage, thing.id, this.nextColumns.get(thing.id)!, foot, this.widthOf);
  }

  private request(scene: Scene, state: State): Request {
    const nodes = scene.things.map((thing) => {
      const { width, height } = this.shapes.get(thing.id)!;
      const size = this.vertical ? { width: height, height: width } : { width, height };
      const node = { id: thing.id, ...size };
      if (state.grouped && thing.what === "table") return { ...node, group: this.lineage.group(thing.dataset) };
      return scene.layers.length && !state.grouped ? { ...node, layer: thing.layer } : node;
    });
    const room = this.vertical || !scene.layers.length ? null : { width: this.stage.clientWidth, height: this.stage.clientHeight };
    return { number: ++this.asked, nodes, edges: scene.bonds.map(({ from, to }) => [from, to]), room, ...(this.vertical && scene.layers.length ? { most: this.beside() } : {}) };
  }

  /** How many cards stand beside each other on a narrow screen. */
  private beside(): number {
    const widest = Math.max(1, ...[...this.shapes.values()].map(({ width }) => width));
    return Math.max(2, Math.floor(this.stage.clientWidth / FAR / (widest + 24)));
  }

  private ask(request: Request): void {
    this.stage.classList.add("arranging");
    this.working.hidden = false;
    this.worker.postMessage(request);
  }

  /** Gives a layout up: the picture that was there stays. False if none was under way. */
  cancel(): boolean {
    if (!this.stage.classList.contains("arranging")) return false;
    this.asked++;
    this.worker.terminate();
    this.worker = this.started();
    this.after = [];
    this.settled();
    return true;
  }

  private settled(): void {
    this.stage.classList.remove("arranging");
    this.working.hidden = true;
  }

  private async place(answer: Placed): Promise<void> {
    if (answer.number !== this.asked) return;
    const before = this.picture.boxes;
    this.scene = this.nextScene;
    this.columns = this.nextColumns;
    const boxes = new Map<number, Box>();
    for (const [id, shape] of this.shapes) {
      const { x, y } = answer.at[id]!;
      if (this.vertical) boxes.set(id, { ...shape, x: y, y: x });
      else boxes.set(id, { ...shape, width: answer.widths[id] ?? shape.width, x, y });
    }
    this.lanes = answer.lanes;
    this.layers = answer.layers;
    this.picture = { boxes, wires: [], groups: answer.groups, bands: this.bandsOf(answer.bands, boxes) };
    if (!this.fitted) this.begin();
    else this.hold(before);
    this.approach();
    this.fitted = true;
    this.drawBands();
    if (!(await this.drawCards(answer.number)) || !(await this.drawWires(answer.number))) return;
    this.settled();
    this.refresh();
    this.stage.dispatchEvent(new CustomEvent("arranged"));
    for (const each of this.after.splice(0)) each();
  }

  /** The columns of what is selected can be read; without a selection all is looked at as before. */
  private approach(): void {
    const { dataset } = this.store.now;
    const box = dataset === null ? undefined : this.picture.boxes.get(dataset);
    if (box?.rows) this.viewport.approach(box);
    if (box && this.fitted) this.bring(box);
    else if (dataset === null) this.viewport.retreat();
  }

  /** Once the next picture stands. */
  then(action: () => void): void {
    this.after.push(action);
  }

  // -- layers and groups ---------------------------------------------------------------------------

  private bandsOf(bands: Placed["bands"], boxes: Map<number, Box>): Band[] {
    if (!boxes.size || bands.length !== this.scene.layers.length) return [];
    const { left, top, right, bottom } = bounds([...boxes.values()]);
    return bands.map((band, index): Band => {
      const [first, last] = [band.left - BAND, band.right + BAND];
      const place = this.vertical
        ? { x: left - BAND, y: first - TITLES / 2, width: right - left + 2 * BAND, height: last - first + TITLES / 2 }
        : { x: first, y: top - TITLES, width: last - first, height: bottom - top + TITLES + BAND };
      return { ...place, ...this.scene.layers[index]! };
    });
  }

  private drawBands(): void {
    const bands = this.picture.bands.map((band) => {
      const { name, key, count, open } = band;
      const title = h("span", { class: "band-title" }, h("span", { class: "band-name" }, short(name, 40)));
      const fold = h("button", { type: "button", "data-close": key, "aria-expanded": "true", title: `fold ${titled(name)}` }, h("span", { class: "band-name" }, short(name, 40)), h("span", { class: "band-count" }, thousands(count)));
      return placedAt(h("section", { class: open ? "band" : "band closed", "aria-label": titled(name) }, open ? (count > 1 ? fold : title) : null), band);
    });
    const groups = this.picture.groups.map((group) => placedAt(h("div", { class: "group", "aria-hidden": "true" }, h("span", { title: titled(group.name) }, short(group.name))), group));
    clear(this.bandsLayer, bands, groups);
  }

  // -- cards -------------------------------------------------------------------------------------

  /** False if another picture was asked for meanwhile. */
  private async drawCards(asked: number): Promise<boolean> {
    const focused = this.focused();
    let drawn = 0;
    let last: Element = this.first;
    for (const [id, card] of this.cards) {
      if (this.picture.boxes.has(id)) continue;
      card.remove();
      this.cards.delete(id);
    }
    for (const thing of this.scene.things) {
      const box = this.picture.boxes.get(thing.id)!;
      const card = this.cardFor(thing, box);
      if (last.nextSibling !== card) last.after(card);
      last = card;
      card.style.transform = `translate(${box.x}px, ${box.y}px)`;
      card.style.width = `${box.width}px`;
      card.style.height = `${box.height}px`;
      if (box.foot) this.maker.foot(card, thing.id, this.store.now.inspect, (other) => this.scene.holder.has(other));
      if (++drawn % SLICE === 0 && !(await this.still(asked))) return false;
    }
    if (focused && !this.cardsLayer.contains(document.activeElement)) this.cardsLayer.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true });
    return true;
  }

  /** How to find what has the focus among the cards, which may be made again. */
  private focused(): string | null {
    const active = document.activeElement as HTMLElement | null;
    if (!active || !this.cardsLayer.contains(active)) return null;
    const { column, table, wide } = active.dataset;
    if (column !== undefined) return `[data-column="${column}"]`;
    const dataset = table ?? wide;
    return dataset === undefined ? ".head" : `[data-table="${dataset}"]`;
  }

  /** The card that stands already, if it looks the same. */
  private cardFor(thing: Thing, box: Box): HTMLElement {
    const columns = this.columns.get(thing.id);
    const look = columns ? `${columns.list.join()}+${columns.rest} ${box.foot}` : `${thing.name} ${thing.count}`;
    let card = this.cards.get(thing.id);
    if (card?.dataset["look"] === look) return card;
    card?.remove();
    card = columns ? this.maker.table(thing.id, box, columns) : boxCard(thing);
    card.dataset["look"] = look;
    card.dataset["thing"] = String(thing.id);
    this.cards.set(thing.id, card);
    return card;
  }

  /** Lets the browser answer first; whether this picture is still wanted. */
  private async still(asked: number): Promise<boolean> {
    await new Promise((go) => setTimeout(go));
    return asked === this.asked;
  }

  /** A column that is asked for is not hidden by what was typed before. */
  private unfilter(dataset: DatasetId): void {
    const input = this.cards.get(dataset)?.querySelector<HTMLInputElement>(".find");
    if (!input) return;
    input.value = "";
    input.dispatchEvent(new Event("input"));
  }

  // -- lines -------------------------------------------------------------------------------------

  private async drawWires(asked: number): Promise<boolean> {
    for (const line of this.wiresLayer.querySelectorAll(".wire, .wire-label")) line.remove();
    this.edgeLines.clear();
    this.pairLines.clear();
    this.picture.wires = this.wiresOf(this.store.now);
    this.stage.classList.toggle("dense", this.picture.wires.length > DENSE);
    this.stage.classList.toggle("crowded", this.picture.wires.length > CROWDED);
    let drawn = 0;
    for (const wire of this.picture.wires) {
      this.draw(wire);
      if (++drawn % (10 * SLICE) === 0 && !(await this.still(asked))) return false;
    }
    return true;
  }

  /** Columns that are shown on both sides have lines of their own; what is left of a pair is one line. */
  private wiresOf(state: State): Wire[] {
    const single: Wire[] = [];
    const rest: Wire[] = [];
    for (const bond of this.scene.bonds) {
      const edges = this.edgesOf(bond, state);
      single.push(...edges.map((edge) => this.wire(bond, edge, this.lineage.edgeKind(edge))));
      if (!edges.length || !this.isWhole(bond)) rest.push(this.wire(bond, -1, kindOf(bond.marks & marksOf(state))));
    }
    if (single.length > MOST_WIRES) return this.scene.bonds.map((bond) => this.wire(bond, -1, kindOf(bond.marks & marksOf(state))));
    for (const id of this.columns.keys()) single.push(...this.loops(id, state));
    return [...rest, ...single];
  }

  private isWhole({ from, to }: Bond): boolean {
    const all = (id: number): boolean => this.columns.get(id)?.list.length === this.lineage.columnCountOf(id);
    return this.columns.has(from) && this.columns.has(to) && all(from) && all(to);
  }

  private edgesOf({ from, to }: Bond, state: State): EdgeId[] {
    const [left, right] = [this.columns.get(from)?.list ?? [], this.columns.get(to)?.list ?? []];
    if (!left.length) return [];
    const sources = new Set(left);
    const found: EdgeId[] = [];
    for (const column of right) for (const edge of this.lineage.edgesInto(column)) if (sources.has(this.lineage.source(edge))) found.push(edge);
    if (withRows(state)) for (const edge of this.lineage.rowsIntoDataset(to)) if (sources.has(this.lineage.source(edge))) found.push(edge);
    return found.filter((edge) => !state.hidden.has(this.lineage.edgeKind(edge)));
  }

  /** A table that reads itself. */
  private loops(id: number, state: State): Wire[] {
    const bond = { from: id, to: id, marks: 0, count: 1 };
    return this.edgesOf(bond, state).map((edge) => this.wire(bond, edge, this.lineage.edgeKind(edge)));
  }

  private wire({ from, to, count }: Bond, edge: EdgeId, kind: string): Wire {
    return { from, to, edge, count, kind, path: this.pathOf(from, to, edge) };
  }

  private pathOf(from: number, to: number, edge: EdgeId): string {
    const { lineage } = this;
    const start = this.picture.boxes.get(from)!;
    const end = this.picture.boxes.get(to)!;
    const lanes = this.lanes[`${from}>${to}`] ?? this.lanes[`${to}>${from}`] ?? [];
    if (this.vertical) return downwards(start, end, lanes, this.layers);
    const fromY = edge < 0 ? start.y + headOf(start) : this.heightOf(lineage.source(edge), from, start);
    const toY = edge < 0 || !lineage.isField(edge) ? end.y + headOf(end) : this.heightOf(lineage.target(edge), to, end);
    return route(start, fromY, end, toY, lanes, this.layers);
  }

  private heightOf(column: ColumnId, dataset: DatasetId, box: Box): number {
    const index = this.columns.get(dataset)?.list.indexOf(column) ?? -1;
    if (index < 0) return box.y + headOf(box);
    if (!box.scrolls) return rowAt(box, index, 0);
    const list = this.cards.get(dataset)?.querySelector<HTMLElement>(".rows");
    const row = list?.children[index] as HTMLElement | undefined;
    if (!row || !list) return rowAt(box, index, 0);
    return row.hidden ? box.y + HEAD : rowAt(box, row.offsetTop / ROW, list.scrollTop);
  }

  private draw(wire: Wire): void {
    const single = wire.edge >= 0;
    const pair = `${wire.from}>${wire.to}`;
    const line = s("path", {
      class: `wire ${wire.kind}${single ? "" : " pair"}`,
      d: wire.path,
      "marker-end": `url(#arrow-${wire.kind})`,
      "data-edge": single ? wire.edge : null,
      "data-pair": pair,
    });
    if (wire.count > 1) line.style.strokeWidth = `${Math.min(3.5, 1.5 + Math.log2(wire.count) / 4)}px`;
    if (wire.count > 1) line.append(s("title", {}, `${thousands(wire.count)} pairs of tables`));
    this.wiresLayer.append(line);
    if (single) this.edgeLines.set(wire.edge, line);
    else this.pairLines.set(pair, line);
  }

  private redrawWiresOf(dataset: DatasetId): void {
    for (const wire of this.picture.wires) {
      if (wire.edge < 0 || (wire.from !== dataset && wire.to !== dataset)) continue;
      wire.path = this.pathOf(wire.from, wire.to, wire.edge);
      this.edgeLines.get(wire.edge)?.setAttribute("d", wire.path);
    }
  }

  /** The line that shows an edge, alone or with others. */
  private lineOf(edge: EdgeId): SVGPathElement | undefined {
    const own = this.edgeLines.get(edge);
    if (own) return own;
    const from = this.scene.holder.get(this.lineage.datasetOf[this.lineage.source(edge)]!);
    return this.pairLines.get(`${from}>${this.scene.holder.get(this.lineage.intoDataset(edge))}`);
  }

  /** The edges between the tables of the picture, those inside of boxes included. */
  visibleEdges(state: State): EdgeId[] {
    const { lineage } = this;
    const found: EdgeId[] = [];
    for (const dataset of this.scene.holder.keys()) {
      for (const column of lineage.columns(dataset)) found.push(...lineage.edgesInto(column));
      if (withRows(state)) found.push(...lineage.rowsIntoDataset(dataset));
    }
    return found.filter((edge) => this.scene.holder.has(lineage.datasetOf[lineage.source(edge)]!) && !state.hidden.has(lineage.edgeKind(edge)));
  }

  // -- what is lit -------------------------------------------------------------------------------

  /** After every change: the pinned path, the impact, the selected edge or table. */
  refresh(column: ColumnId | null = null, thing: number | null = null): void {
    const state = this.store.now;
    const start = column ?? (thing === null ? state.column : null);
    this.stage.dataset["mode"] = state.mode;
    if (start !== null) this.lightColumn(start, state);
    else if (thing !== null) this.lightThing(thing);
    else if (state.edge !== null) this.lightEdge(state.edge);
    else if (state.mode === "impact" && state.dataset !== null && this.picture.boxes.has(state.dataset)) this.lightThing(state.dataset);
    else this.unlight();
    if (state.mode === "diff" && start === null && thing === null && state.edge === null) this.markDiff();
    this.stage.classList.toggle("pinned", column === null && state.column !== null);
    for (const [id, card] of this.cards) {
      card.classList.toggle("selected", id === state.dataset);
      if (this.columns.has(id)) card.querySelector(".head")?.setAttribute("aria-pressed", String(id === state.dataset));
    }
  }

  /** Columns, lines and cards in the colors of what became of them. */
  private markDiff(): void {
    const { diff } = this.lineage.raw;
    if (!diff) return;
    this.mark(new Map(diff.columns), new Map());
    for (const [dataset, mark] of diff.datasets) this.cards.get(dataset)?.setAttribute("data-mark", mark);
    for (const [edge, mark] of diff.edges) this.lineOf(edge)?.setAttribute("data-mark", mark);
  }

  /** The whole path of a column; behind it, why each column and table is reached. */
  private lightColumn(column: ColumnId, state: State): void {
    const reach = this.lineage.reach(column);
    const impact = state.mode === "impact";
    const path = impact ? null : this.lineage.path(column, state.inspect);
    const columns = path ? path.columns : new Set([column, ...reach.keys()]);
    columns.add(column);
    const edges = path ? path.edges : this.edgesBehind(columns);
    const tables = new Map<DatasetId, Why>();
    const marks: Marks = new Map();
    for (const [each, { why }] of reach) {
      marks.set(each, why);
      const dataset = this.lineage.datasetOf[each]!;
      const known = tables.get(dataset);
      tables.set(dataset, known && known !== why ? "both" : why);
    }
    this.stage.classList.add("tracing");
    this.lit(columns, edges, column);
    this.mark(marks, tables);
  }

  private edgesBehind(columns: Set<ColumnId>): Set<EdgeId> {
    const edges = new Set<EdgeId>();
    for (const each of columns) {
      for (const edge of this.lineage.edgesOutOf(each)) edges.add(edge);
      for (const edge of this.lineage.decidedBy(each)) edges.add(edge);
    }
    return edges;
  }

  private lightEdge(edge: EdgeId): void {
    const columns = new Set([this.lineage.source(edge)]);
    if (this.lineage.isField(edge)) columns.add(this.lineage.target(edge));
    this.mark(new Map(), new Map());
    this.stage.classList.add("tracing");
    this.lit(columns, new Set([edge]), null);
  }

  /** What a table or a box is made from and what is made of it; a table also says why it reaches others. */
  private lightThing(thing: number): void {
    const on = new Set([thing]);
    const lines = new Set<Element>();
    const walk = (from: "from" | "to", to: "from" | "to"): void => {
      const met = new Set([thing]);
      for (const each of met) {
        for (const bond of this.bondsBy(from, each)) {
          const line = this.pairLines.get(`${bond.from}>${bond.to}`);
          if (line) lines.add(line);
          met.add(bond[to]);
          on.add(bond[to]);
        }
      }
    };
    walk("from", "to");
    walk("to", "from");
    this.stage.classList.add("tracing");
    this.lit(new Set(), new Set(), null, on, lines);
    const why = new Map<DatasetId, Why>();
    if (this.columns.has(thing)) for (const [dataset, each] of this.lineage.tableReach(thing)) why.set(dataset, each.why);
    this.mark(new Map(), why);
  }

  private bonded: { scene: Scene; from: Map<number, Bond[]>; to: Map<number, Bond[]> } | null = null;

  private bondsBy(end: "from" | "to", id: number): Bond[] {
    if (this.bonded?.scene !== this.scene) {
      this.bonded = { scene: this.scene, from: new Map(), to: new Map() };
      for (const bond of this.scene.bonds) {
        for (const each of ["from", "to"] as const) {
          const known = this.bonded[each].get(bond[each]);
          if (known) known.push(bond);
          else this.bonded[each].set(bond[each], [bond]);
        }
      }
    }
    return this.bonded[end].get(id) ?? [];
  }

  private unlight(): void {
    this.stage.classList.remove("tracing");
    this.mark(new Map(), new Map());
    this.lit(new Set(), new Set(), null);
  }

  private lit(columns: Set<ColumnId>, edges: Set<EdgeId>, start: ColumnId | null, things = new Set<number>(), lines = new Set<Element>()): void {
    const { datasetOf } = this.lineage;
    for (const column of columns) {
      const holder = this.scene.holder.get(datasetOf[column]!);
      if (holder !== undefined) things.add(holder);
    }
    for (const [id, card] of this.cards) {
      card.classList.toggle("on", things.has(id));
      for (const row of card.querySelectorAll<HTMLElement>(".row")) {
        const column = Number(row.dataset["column"]);
        row.classList.toggle("on", columns.has(column));
        row.classList.toggle("start", column === start);
      }
    }
    for (const edge of edges) {
      const line = this.lineOf(edge);
      if (line) lines.add(line);
    }
    for (const line of this.wiresLayer.querySelectorAll(".wire")) line.classList.toggle("on", lines.has(line));
    this.label(lines);
  }

  /** Lines that are lit say what they are, as long as there are few and there is room. */
  private label(lines: Set<Element>): void {
    for (const each of this.wiresLayer.querySelectorAll(".wire-label")) each.remove();
    if (!lines.size || lines.size > LABELLED) return;
    const taken: Place[] = [];
    for (const line of lines as Set<SVGPathElement>) {
      const kind = [...line.classList].find((name) => KINDS.has(name)) ?? "";
      const middle = line.getPointAtLength(line.getTotalLength() / 2);
      const width = this.widthOf(kind, true) * 0.9;
      const place = { x: middle.x - width / 2, y: middle.y - 16, width, height: 14 };
      if ([...taken, ...this.picture.boxes.values()].some((other) => overlaps(place, other))) continue;
      taken.push(place);
      this.wiresLayer.append(s("text", { class: `wire-label ${kind}`, x: middle.x, y: middle.y - 5, "text-anchor": "middle" }, kind));
    }
  }

  /** Why columns and tables are reached; a box says so only where all of it is reached in one way. */
  private mark(marks: Marks, tables: Map<DatasetId, Why>): void {
    for (const row of this.cardsLayer.querySelectorAll(".row[data-why]")) row.removeAttribute("data-why");
    for (const card of this.cards.values()) card.removeAttribute("data-why");
    for (const card of this.cards.values()) card.removeAttribute("data-mark");
    for (const [id, card] of this.cards) {
      for (const row of card.querySelectorAll<HTMLElement>(".row")) {
        const why = marks.get(Number(row.dataset["column"]));
        if (why) row.setAttribute("data-why", why);
      }
      const why = tables.get(id);
      if (why && !this.columns.get(id)?.list.length) card.setAttribute("data-why", why);
    }
    const boxes = new Map<number, Why>();
    for (const [dataset, why] of tables) {
      const holder = this.scene.holder.get(dataset);
      if (holder === undefined || holder === dataset) continue;
      const known = boxes.get(holder);
      boxes.set(holder, known && known !== why ? "both" : why);
    }
    for (const [id, why] of boxes) this.cards.get(id)?.setAttribute("data-why", why);
    this.marks = marks;
  }

  /** Why columns are marked now. */
  get marked(): ReadonlyMap<ColumnId, Why | Mark> {
    return this.marks;
  }

  rowOf(column: ColumnId): HTMLElement | null {
    const card = this.cards.get(this.lineage.datasetOf[column]!);
    return card?.querySelector(`.row[data-column="${column}"]`) ?? null;
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
      list.scrollTop = row.parentElement!.offsetTop - 4 * ROW;
    }
  }

  // -- where one looks ---------------------------------------------------------------------------

  /** All of it, or some datasets, in the middle. */
  fit(datasets?: Iterable<DatasetId>): void {
    const all = [...this.picture.boxes.values()];
    this.viewport.fit(datasets ? this.placesOf(datasets) : all);
    this.viewport.untouched = !datasets;
  }

  get isBusy(): boolean {
    return this.stage.classList.contains("arranging");
  }

  /** The columns that a card shows. */
  columnsOf(id: number): Columns {
    return this.columns.get(id) ?? { list: [], rest: 0 };
  }

  /** Whether no card is out of sight. */
  isAllSeen(): boolean {
    const boxes = [...this.picture.boxes.values()];
    if (boxes.length < 2) return true;
    const { left, top, right, bottom } = bounds(boxes);
    const seen = this.viewport.window();
    return left >= seen.x && top >= seen.y && right <= seen.x + seen.width && bottom <= seen.y + seen.height;
  }

  /** Moves a dataset into sight, in letters that can be read. */
  show(dataset: DatasetId): void {
    const [box] = this.placesOf([dataset]);
    if (box) this.bring(box);
  }

  private bring(box: Place): void {
    const seen = this.viewport.window();
    const inside = box.x >= seen.x && box.y >= seen.y && box.x + box.width <= seen.x + seen.width && box.y + box.height <= seen.y + seen.height;
    if (inside) return;
    this.viewport.bring(box);
  }

  placesOf(datasets: Iterable<DatasetId>): Place[] {
    const ids = new Set([...datasets].map((dataset) => this.scene.holder.get(dataset)));
    return [...ids].map((id) => this.picture.boxes.get(id ?? -1)).filter((box) => box !== undefined);
  }

  /** All of it; where that cannot be read, what was asked for. */
  private begin(): void {
    const { dataset, column } = this.store.now;
    const asked = column !== null ? this.lineage.datasetOf[column]! : dataset;
    const around = asked === null ? [] : this.placesOf([asked]);
    const least = around.length && this.columns.size <= MOST_CARDS ? FAR : LEAST;
    this.viewport.begin(around, this.vertical ? FAR : least);
  }

  /** What one has clicked stays where it is, whatever moves around it; without such a thing all is looked at again. */
  private hold(before: Map<number, Place>): void {
    const { dataset } = this.store.now;
    const anchor = [this.over, dataset].find((id) => id !== null && before.has(id) && this.picture.boxes.has(id));
    if (anchor === undefined || anchor === null) {
      if (this.viewport.untouched) this.begin();
      return;
    }
    const [old, now] = [before.get(anchor)!, this.picture.boxes.get(anchor)!];
    const { x, y, scale } = this.viewport.view;
    const untouched = this.viewport.untouched;
    this.viewport.look({ scale, x: x + (old.x - now.x) * scale, y: y + (old.y - now.y) * scale });
    this.viewport.untouched = untouched;
  }

  /** The thing under the pointer, or with the focus. */
  private over: number | null = null;

  // -- pointing ----------------------------------------------------------------------------------

  /** Arrow keys on the head of a card: along the lines to the left and right, else to the next card above or below. */
  private step(event: KeyboardEvent): void {
    const head = (event.target as Element).closest<HTMLElement>(".head");
    const from = Number(head?.closest<HTMLElement>(".card")?.dataset["thing"]);
    const next = head && ARROWS.has(event.key) ? this.neighbor(from, event.key) : null;
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.cards.get(next)?.querySelector<HTMLElement>(".head")?.focus({ preventScroll: true });
    this.bring(this.picture.boxes.get(next)!);
  }

  /** The nearest thing in the direction of an arrow. */
  private neighbor(from: number, key: string): number | null {
    const { boxes } = this.picture;
    const here = boxes.get(from)!;
    const beside = key === "ArrowRight" ? this.bondsBy("from", from).map((bond) => bond.to) : this.bondsBy("to", from).map((bond) => bond.from);
    const sign = key === "ArrowDown" ? 1 : -1;
    const column = [...boxes].filter(([id, box]) => id !== from && Math.abs(box.x - here.x) < here.width / 2 && (box.y - here.y) * sign > 0).map(([id]) => id);
    const near = key === "ArrowUp" || key === "ArrowDown" ? column : beside;
    const away = (id: number): number => Math.abs(boxes.get(id)!.y - here.y) + Math.abs(boxes.get(id)!.x - here.x) / 8;
    return near.length ? near.reduce((one, other) => (away(other) < away(one) ? other : one)) : null;
  }

  private hover(): void {
    let over = "";
    const preview = (target: Element | null): void => {
      const row = target?.closest<HTMLElement>(".row");
      const card = target?.closest<HTMLElement>(".card");
      const key = row ? `c${row.dataset["column"]}` : card ? `t${card.dataset["thing"]}` : "";
      this.over = card ? Number(card.dataset["thing"]) : null;
      if (key === over) return;
      over = key;
      this.refresh(row ? Number(row.dataset["column"]) : null, !row && card ? Number(card.dataset["thing"]) : null);
    };
    this.cardsLayer.addEventListener("pointerover", (event) => preview(event.target as Element));
    this.cardsLayer.addEventListener("pointerleave", () => preview(null));
    this.cardsLayer.addEventListener("focusin", (event) => {
      const target = event.target as Element;
      if (target.matches(":focus-visible")) preview(target);
    });
    this.cardsLayer.addEventListener("focusout", () => preview(null));
    this.cardsLayer.addEventListener("keydown", (event) => this.step(event));
  }
}

const ARROWS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);
const KINDS = new Set(["copy", "rename", "transform", "inspect"]);

/** One kind for a line that stands for several. */
function kindOf(marks: number): string {
  const kinds = [...KINDS].filter((_, bit) => marks & (1 << bit));
  if (kinds.length === 1) return kinds[0]!;
  return ["transform", "rename", "copy"].find((kind) => kinds.includes(kind)) ?? "inspect";
}

/** Where lines meet a thing: at the middle of its head. */
function headOf(box: Box): number {
  return Math.min(HEAD, box.height) / 2;
}

function overlaps(one: Place, other: Place): boolean {
  return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
}

function placedAt(element: HTMLElement, { x, y, width, height }: Place): HTMLElement {
  element.style.cssText = `transform:translate(${x}px,${y}px);width:${width}px;height:${height}px`;
  return element;
}

function markers(): SVGDefsElement {
  const arrow = (kind: string): SVGMarkerElement =>
    s(
      "marker",
      { id: `arrow-${kind}`, class: `arrow ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" },
      s("path", { d: "M0 0.5 8 4 0 7.5z" }),
    );
  return s("defs", {}, ...["copy", "rename", "transform", "inspect"].map(arrow));
}
