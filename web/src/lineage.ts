// The lineage of the page: datasets, columns and edges by number, and the walks over them.

import type { Raw } from "./data.ts";
import { counted, parted } from "./words.ts";

export type DatasetId = number;
export type ColumnId = number;
/** Field-level edges come first; a number from `fieldCount` on is an edge into a dataset. */
export type EdgeId = number;

export const KINDS = ["copy", "rename", "transform", "inspect"] as const;
export type Kind = (typeof KINDS)[number];
export const LEVELS = ["UNKNOWN", "LOW", "MEDIUM", "HIGH", "EXACT"] as const;
export const STATUSES = ["", "inherited", "modified", "missing"] as const;
/** The marks of a column: its labels are declared; its dataset lists it; it stands for all that a schema may have. */
const DECLARED = 1;
const LISTED = 2;
const STAR = "*";
const AMBIGUOUS = 1;
const MASKED = 2;
const STATUS = 4;
/** The marks of a link between two datasets: a bit for each of KINDS, and these. */
export const FIELDS = 7;
export const ROWS = 8;
export const READ = 16;
export const LOW = 32;
export const MEDIUM = 64;
export const DOUBTFUL = 128;
/** Whoever reads columns besides models. */
export const CONSUMERS = new Set(["test", "unit_test", "semantic_model", "metric", "saved_query", "exposure", "dashboard"]);

export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface Usage {
  how: string;
  clause: string;
  masked: boolean;
  level: string;
  evidence: string;
  expression: string;
  transform: string;
  ambiguous: boolean;
  place: Place | null;
}

export type Why = "contributed" | "referenced" | "both";

export interface Impacted {
  column: ColumnId;
  why: Why;
  depth: number;
}

/** Adjacency in two flat arrays: the edges of node n are list[start[n]] … list[start[n + 1] - 1]. */
class Adjacency {
  private start: Uint32Array;
  private list: Uint32Array;

  constructor(nodes: number, ends: ArrayLike<number>, offset = 0) {
    this.start = new Uint32Array(nodes + 1);
    for (let i = 0; i < ends.length; i++) this.start[ends[i]! + 1]!++;
    for (let n = 0; n < nodes; n++) this.start[n + 1]! += this.start[n]!;
    this.list = new Uint32Array(ends.length);
    const next = this.start.slice();
    for (let i = 0; i < ends.length; i++) this.list[next[ends[i]!]!++] = i + offset;
  }

  of(node: number): Uint32Array {
    return this.list.subarray(this.start[node], this.start[node + 1]);
  }
}

export class Lineage {
  readonly datasetCount: number;
  readonly columnCount: number;
  readonly fieldCount: number;
  readonly edgeCount: number;
  readonly datasetOf: Uint32Array;
  private linksInto: Adjacency;
  private linksOutOf: Adjacency;
  private upstreamTables = new Map<number, DatasetId[]>();
  private downstreamTables = new Map<number, DatasetId[]>();

  constructor(readonly raw: Raw) {
    this.datasetCount = raw.datasets[0]!.length;
    this.columnCount = raw.columns[0]!.length;
    this.fieldCount = raw.edges[0]!.length;
    this.edgeCount = this.fieldCount + raw.rows[0]!.length;
    this.datasetOf = new Uint32Array(this.columnCount);
    for (let d = 0; d < this.datasetCount; d++) {
      const first = this.firstColumn(d);
      if (first >= 0) this.datasetOf.fill(d, first, first + this.columnCountOf(d));
    }
    this.linksInto = new Adjacency(this.datasetCount, raw.links[1]!);
    this.linksOutOf = new Adjacency(this.datasetCount, raw.links[0]!);
  }

  // What the map does not need is made when it is first asked for.

  private get into(): Adjacency {
    return (this.madeInto ??= new Adjacency(this.columnCount, this.raw.edges[1]!));
  }

  private get outOf(): Adjacency {
    return (this.madeOutOf ??= new Adjacency(this.columnCount, this.raw.edges[0]!));
  }

  private get rowsInto(): Adjacency {
    return (this.madeRowsInto ??= new Adjacency(this.datasetCount, this.raw.rows[1]!, this.fieldCount));
  }

  private get deciding(): Adjacency {
    return (this.madeDeciding ??= new Adjacency(this.columnCount, this.raw.rows[0]!, this.fieldCount));
  }

  private madeInto: Adjacency | null = null;
  private madeOutOf: Adjacency | null = null;
  private madeRowsInto: Adjacency | null = null;
  private madeDeciding: Adjacency | null = null;

  // -- datasets and columns ----------------------------------------------------------------------

  private word(table: number[][], column: number, row: number): string {
    return this.raw.words[table[column]![row]!]!;
  }

  name(dataset: DatasetId): string {
    return this.word(this.raw.datasets, 0, dataset);
  }

  namespace(dataset: DatasetId): string {
    return this.word(this.raw.datasets, 1, dataset);
  }

  kind(dataset: DatasetId): string {
    return this.word(this.raw.datasets, 2, dataset);
  }

  about(dataset: DatasetId): string {
    return this.word(this.raw.datasets, 3, dataset);
  }

  datasetPlace(dataset: DatasetId): Place | null {
    const d = this.raw.datasets;
    return this.place(d[4]![dataset]!, d[5]![dataset]!, d[6]![dataset]!);
  }

  /** The columns of a dataset stand one after the other. */
  columns(dataset: DatasetId): ColumnId[] {
    const first = this.raw.datasets[7]![dataset]!;
    const count = this.raw.datasets[8]![dataset]!;
    return Array.from({ length: count }, (_, index) => first + index);
  }

  columnCountOf(dataset: DatasetId): number {
    return this.raw.datasets[8]![dataset]!;
  }

  firstColumn(dataset: DatasetId): ColumnId {
    return this.raw.datasets[7]![dataset]!;
  }

  columnName(column: ColumnId): string {
    return this.word(this.raw.columns, 0, column);
  }

  fullName(column: ColumnId): string {
    return `${this.name(this.datasetOf[column]!)}.${this.columnName(column)}`;
  }

  type(column: ColumnId): string {
    return this.word(this.raw.columns, 1, column);
  }

  description(column: ColumnId): string {
    return this.word(this.raw.columns, 2, column);
  }

  labels(column: ColumnId): string[] {
    const text = this.word(this.raw.columns, 3, column);
    return text ? text.split("\n") : [];
  }

  /** Whether the labels were declared for the column itself; else they were brought along. */
  labelsDeclared(column: ColumnId): boolean {
    return (this.raw.columns[4]![column]! & DECLARED) !== 0;
  }

  private labelSteps: Map<string, ColumnId> | null = null;

  /** The columns that a label came along, from the one that declares it. */
  labelPath(column: ColumnId, label: string): ColumnId[] {
    if (!this.labelSteps) {
      const [columns, labels, sources] = this.raw.brought as [number[], number[], number[]];
      this.labelSteps = new Map(columns.map((each, row) => [`${each} ${this.raw.words[labels[row]!]!}`, sources[row]!]));
    }
    const path = [column];
    for (let at = this.labelSteps.get(`${column} ${label}`); at !== undefined && !path.includes(at); at = this.labelSteps.get(`${at} ${label}`)) path.push(at);
    return path.reverse();
  }

  /** The part of a name before the last dot, else the folder of its file. */
  group(dataset: DatasetId): string {
    const [schema] = parted(this.name(dataset));
    if (schema.length > 1) return schema.slice(0, -1);
    const file = this.datasetPlace(dataset)?.file ?? "";
    const parts = file.split("/");
    return parts.length > 1 ? parts[parts.length - 2]! : this.kind(dataset);
  }

  /** Whether a dataset has a schema or a folder. */
  isGrouped(dataset: DatasetId): boolean {
    return parted(this.name(dataset))[0].length > 1 || (this.datasetPlace(dataset)?.file ?? "").includes("/");
  }

  private consumerCount: number | null = null;

  /** How many of the datasets only read: tests, metrics, exposures. */
  get consumers(): number {
    if (this.consumerCount === null) {
      this.consumerCount = 0;
      for (let dataset = 0; dataset < this.datasetCount; dataset++) if (CONSUMERS.has(this.kind(dataset))) this.consumerCount++;
    }
    return this.consumerCount;
  }

  /** What datasets are called where tables and consumers are counted together. */
  get noun(): string {
    return this.consumers ? "dataset" : "table";
  }

  /** "14 tables · 12 consumers · 77 columns · 60 edges" */
  sizes(): string {
    const tables = counted(this.datasetCount - this.consumers, "table");
    const others = this.consumers ? [counted(this.consumers, "consumer")] : [];
    return [tables, ...others, counted(this.columnCount, "column"), counted(this.fieldCount, "edge")].join(" · ");
  }

  private byName: Map<string, DatasetId> | null = null;

  dataset(name: string): DatasetId | undefined {
    if (!this.byName) {
      this.byName = new Map();
      for (let d = this.datasetCount - 1; d >= 0; d--) {
        this.byName.set(this.name(d).toLowerCase(), d);
      }
      for (let d = this.datasetCount - 1; d >= 0; d--) this.byName.set(this.name(d), d);
    }
    return this.byName.get(name) ?? this.byName.get(name.toLowerCase());
  }

  /** `dataset.column`, both of which may have dots in them; of `dataset.column.field` the column. */
  column(name: string): ColumnId | undefined {
    for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
      const dataset = this.dataset(name.slice(0, dot));
      if (dataset === undefined) continue;
      for (let wanted = name.slice(dot + 1); wanted; wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf(".")))) {
        const found = this.columnIn(dataset, wanted);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  columnIn(dataset: DatasetId, name: string): ColumnId | undefined {
    const columns = this.columns(dataset);
    return (
      columns.find((column) => this.columnName(column) === name) ??
      columns.find((column) => this.columnName(column).toLowerCase() === name.toLowerCase())
    );
  }

  // -- edges -------------------------------------------------------------------------------------

  isField(edge: EdgeId): boolean {
    return edge < this.fieldCount;
  }

  private cell(edge: EdgeId, column: number): number {
    return this.isField(edge) ? this.raw.edges[column]![edge]! : this.raw.rows[column]![edge - this.fieldCount]!;
  }

  source(edge: EdgeId): ColumnId {
    return this.cell(edge, 0);
  }

  /** The column that a field-level edge leads into. */
  target(edge: EdgeId): ColumnId {
    return this.cell(edge, 1);
  }

  intoDataset(edge: EdgeId): DatasetId {
    return this.isField(edge) ? this.datasetOf[this.cell(edge, 1)]! : this.cell(edge, 1);
  }

  edgeKind(edge: EdgeId): Kind {
    return KINDS[this.cell(edge, 2)]!;
  }

  level(edge: EdgeId): string {
    return LEVELS[this.cell(edge, 3)]!;
  }

  ambiguous(edge: EdgeId): boolean {
    return (this.cell(edge, 4) & AMBIGUOUS) !== 0;
  }

  masked(edge: EdgeId): boolean {
    return (this.cell(edge, 4) & MASKED) !== 0;
  }

  status(edge: EdgeId): string {
    return STATUSES[Math.floor(this.cell(edge, 4) / STATUS)]!;
  }

  /** `t.a > v.b`, or `t.a > v` of an edge into a dataset. */
  edgeName(edge: EdgeId): string {
    const target = this.isField(edge) ? this.fullName(this.target(edge)) : this.name(this.intoDataset(edge));
    return `${this.fullName(this.source(edge))} > ${target}`;
  }

  edgeNamed(text: string): EdgeId | undefined {
    for (let at = text.indexOf(" > "); at >= 0; at = text.indexOf(" > ", at + 1)) {
      const source = this.column(text.slice(0, at));
      if (source === undefined) continue;
      const edges = [...this.outOf.of(source), ...this.deciding.of(source)];
      const found = edges.find((edge) => this.edgeName(edge) === text);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  sourcePath(edge: EdgeId): string {
    return this.raw.words[this.cell(edge, 6)]!;
  }

  targetPath(edge: EdgeId): string {
    return this.raw.words[this.cell(edge, 7)]!;
  }

  usages(edge: EdgeId): Usage[] {
    const first = this.cell(edge, 5);
    const next = this.nextUsage(edge);
    return Array.from({ length: next - first }, (_, index) => this.usage(first + index));
  }

  /** Usages stand in the order of edges: an edge's end where those of the next begin. */
  private nextUsage(edge: EdgeId): number {
    return edge + 1 < this.edgeCount ? this.cell(edge + 1, 5) : this.raw.usages[0]!.length;
  }

  private usage(row: number): Usage {
    const u = this.raw.usages;
    const word = (column: number): string => this.word(u, column, row);
    return {
      how: word(0),
      clause: word(1),
      masked: u[2]![row] === 1,
      level: LEVELS[u[3]![row]!]!,
      evidence: word(4),
      expression: word(5),
      transform: word(6),
      ambiguous: u[7]![row] === 1,
      place: this.place(u[8]![row]!, u[9]![row]!, u[10]![row]!),
    };
  }

  place(file: number, line: number, column: number): Place | null {
    return line ? { file: this.raw.words[file]!, line, column } : null;
  }

  edgesInto(column: ColumnId): Uint32Array {
    return this.into.of(column);
  }

  edgesOutOf(column: ColumnId): Uint32Array {
    return this.outOf.of(column);
  }

  // -- one step, also through open stars: t.* → v.* leads from t.x to v.x --------------------------

  private stars = new Map<DatasetId, ColumnId | undefined>();

  private starOf(dataset: DatasetId): ColumnId | undefined {
    if (!this.stars.has(dataset)) this.stars.set(dataset, this.columns(dataset).find((column) => this.columnName(column) === STAR));
    return this.stars.get(dataset);
  }

  private isOwn(column: ColumnId): boolean {
    const listed = (this.raw.columns[4]![column]! & LISTED) !== 0;
    return listed || this.into.of(column).length > 0 || this.columnName(column) === STAR;
  }

  /** The edges into a column, each with the column that it comes from. */
  *before(column: ColumnId): Generator<[EdgeId, ColumnId]> {
    for (const edge of this.into.of(column)) yield [edge, this.source(edge)];
    const star = this.isOwn(column) ? undefined : this.starOf(this.datasetOf[column]!);
    if (star === undefined) return;
    for (const edge of this.into.of(star)) {
      const source = this.source(edge);
      if (this.columnName(source) !== STAR) continue;
      yield [edge, this.columnIn(this.datasetOf[source]!, this.columnName(column)) ?? source];
    }
  }

  /** The edges that leave a column, each with the column that it leads to. */
  *after(column: ColumnId): Generator<[EdgeId, ColumnId]> {
    for (const edge of this.outOf.of(column)) yield [edge, this.target(edge)];
    const star = this.columnName(column) === STAR ? undefined : this.starOf(this.datasetOf[column]!);
    if (star === undefined) return;
    for (const edge of this.outOf.of(star)) {
      const open = this.target(edge);
      if (this.columnName(open) !== STAR) continue;
      const target = this.columnIn(this.datasetOf[open]!, this.columnName(column));
      if (target === undefined) yield [edge, open];
      else if (!this.isOwn(target)) yield [edge, target];
    }
  }

  // -- who names what ----------------------------------------------------------------------------

  private namings: Adjacency | null = null;

  /** The datasets whose statements name a column, each with the clause and the place. */
  namedBy(column: ColumnId): Map<DatasetId, { clause: string; place: Place | null }> {
    const { named } = this.raw;
    this.namings ??= new Adjacency(this.columnCount, named[0]!);
    const found = new Map<DatasetId, { clause: string; place: Place | null }>();
    for (const row of this.namings.of(column)) {
      found.set(named[1]![row]!, { clause: this.word(named, 2, row), place: this.place(named[3]![row]!, named[4]![row]!, named[5]![row]!) });
    }
    return found;
  }

  /** Whether a column that goes shifts those beside it: a set operation, or INSERT … SELECT. */
  byPosition(dataset: DatasetId): boolean {
    return this.raw.datasets[9]![dataset] === 1;
  }

  private readers: Adjacency | null = null;

  /** All that reads what is made of these datasets. */
  readersBehind(datasets: Set<DatasetId>): Set<DatasetId> {
    const { reads } = this.raw;
    this.readers ??= new Adjacency(this.datasetCount, reads[0]!);
    const found = new Set<DatasetId>(datasets);
    for (const dataset of found) for (const row of this.readers.of(dataset)) found.add(reads[1]![row]!);
    for (const dataset of datasets) found.delete(dataset);
    return found;
  }

  /** The datasets whose statements read one. */
  readersOf(dataset: DatasetId): DatasetId[] {
    const { reads } = this.raw;
    this.readers ??= new Adjacency(this.datasetCount, reads[0]!);
    return [...this.readers.of(dataset)].map((row) => reads[1]![row]!).filter((reader) => reader !== dataset);
  }

  rowsIntoDataset(dataset: DatasetId): Uint32Array {
    return this.rowsInto.of(dataset);
  }

  decidedBy(column: ColumnId): Uint32Array {
    return this.deciding.of(column);
  }

  // -- tables ------------------------------------------------------------------------------------

  /** The datasets that a dataset is made from. */
  tablesInto(dataset: DatasetId, withRows: boolean): DatasetId[] {
    return this.neighbours(this.upstreamTables, this.linksInto, 0, dataset, withRows);
  }

  tablesOutOf(dataset: DatasetId, withRows: boolean): DatasetId[] {
    return this.neighbours(this.downstreamTables, this.linksOutOf, 1, dataset, withRows);
  }

  private neighbours(known: Map<number, DatasetId[]>, links: Adjacency, end: number, dataset: DatasetId, withRows: boolean): DatasetId[] {
    const key = dataset * 2 + Number(withRows);
    let list = known.get(key);
    if (!list) {
      list = [];
      for (const link of links.of(dataset)) if (this.isDrawn(link, withRows)) list.push(this.raw.links[end]![link]!);
      known.set(key, list);
    }
    return list;
  }

  get linkCount(): number {
    return this.raw.links[0]!.length;
  }

  /** From, to and marks of a link between two datasets. */
  link(link: number): [DatasetId, DatasetId, number] {
    const { links } = this.raw;
    return [links[0]![link]!, links[1]![link]!, links[2]![link]!];
  }

  linksOf(dataset: DatasetId, up: boolean): Uint32Array {
    return (up ? this.linksInto : this.linksOutOf).of(dataset);
  }

  /** Values always; rows where asked; a read without a column only where nothing else is to be said. */
  isDrawn(link: number, withRows: boolean): boolean {
    const marks = this.raw.links[2]![link]!;
    if (marks & FIELDS) return true;
    if (withRows) return true;
    return CONSUMERS.has(this.kind(this.raw.links[1]![link]!));
  }

  tags(dataset: DatasetId): string[] {
    const text = this.word(this.raw.datasets, 10, dataset);
    return text ? text.split("\n") : [];
  }

  /** The jobs that write a dataset: dag.task, a model, an action. */
  jobs(dataset: DatasetId): string[] {
    const text = this.word(this.raw.datasets, 11, dataset);
    return text ? text.split("\n") : [];
  }

  private found: Map<DatasetId, number[]> | null = null;

  /** The diagnostics whose places are in a dataset's definition, by number. */
  diagnosticsOf(dataset: DatasetId): number[] {
    if (!this.found) {
      this.found = new Map();
      this.raw.diagnostics.forEach((each, number) => {
        const known = this.found!.get(each.dataset);
        if (known) known.push(number);
        else this.found!.set(each.dataset, [number]);
      });
    }
    return this.found.get(dataset) ?? [];
  }

  allTables(starts: Iterable<DatasetId>, next: (dataset: DatasetId) => DatasetId[]): Set<DatasetId> {
    const found = new Set<DatasetId>(starts);
    for (const dataset of found) for (const other of next(dataset)) found.add(other);
    return found;
  }

  // -- walks -------------------------------------------------------------------------------------

  /** A column's whole path in one direction: columns and field-level edges, those of rows where asked. */
  trace(starts: Iterable<ColumnId>, up: boolean, withRows = false): Trace {
    const columns = new Set<ColumnId>(starts);
    const edges = new Set<EdgeId>();
    const datasets = new Set<DatasetId>();
    for (const column of columns) {
      for (const [edge, other] of up ? this.before(column) : this.after(column)) {
        edges.add(edge);
        columns.add(other);
      }
      if (!withRows) continue;
      if (up) for (const edge of this.rowsIntoDataset(this.datasetOf[column]!)) edges.add(edge);
      else
        for (const edge of this.decidedBy(column)) {
          edges.add(edge);
          datasets.add(this.intoDataset(edge));
        }
    }
    return { columns, edges, datasets };
  }

  /** Both ways: what a column comes from and what comes from it. */
  path(column: ColumnId, withRows = false): Trace {
    const up = this.trace([column], true, false);
    const down = this.trace([column], false, withRows);
    for (const each of up.columns) down.columns.add(each);
    for (const each of up.edges) down.edges.add(each);
    return down;
  }

  /**
   * Everything that a change of a column reaches, nearest first: contributed by value, referenced through rows, both.
   * A column that decides a dataset's rows reaches all of its columns.
   */
  impact(start: ColumnId): Impacted[] {
    if (this.lastImpact?.start !== start) this.lastImpact = { start, found: this.reached(start) };
    return this.lastImpact.found;
  }

  private lastImpact: { start: ColumnId; found: Impacted[] } | null = null;
  private places: Uint32Array | null = null;

  /** Each column's place in the order of full names. */
  get order(): Uint32Array {
    if (!this.places) {
      const names = Array.from({ length: this.columnCount }, (_, column) => this.fullName(column));
      const sorted = names.map((_, column) => column).sort((a, b) => compared(names[a]!, names[b]!));
      this.places = new Uint32Array(this.columnCount);
      sorted.forEach((column, place) => (this.places![column] = place));
    }
    return this.places;
  }

  private reached(start: ColumnId): Impacted[] {
    const found = [...this.reach(start)].map(([column, each]): Impacted => ({ column, ...each }));
    const rank = (each: Impacted): number => (each.why === "referenced" ? 1 : 0);
    const { order } = this;
    return found.sort((a, b) => rank(a) - rank(b) || a.depth - b.depth || order[a.column]! - order[b.column]!);
  }

  private lastReach: { start: ColumnId; found: Map<ColumnId, Reach> } | null = null;

  /** The same in no order: quick enough for whoever moves the pointer over a column. */
  reach(start: ColumnId): Map<ColumnId, Reach> {
    if (this.lastReach?.start !== start) this.lastReach = { start, found: this.spread(start) };
    return this.lastReach.found;
  }

  private spread(start: ColumnId): Map<ColumnId, Reach> {
    const pure = new Map<ColumnId, number>([[start, 0]]);
    const mixed = new Map<ColumnId, number>();
    const decided = new Set<DatasetId>();
    let border: [ColumnId, boolean][] = [[start, true]];
    for (let depth = 1; border.length; depth++) {
      const ahead: [ColumnId, boolean][] = [];
      const reach = (column: ColumnId, isPure: boolean): void => {
        const known = isPure ? pure : mixed;
        if (known.has(column)) return;
        known.set(column, depth);
        ahead.push([column, isPure]);
      };
      for (const [column, isPure] of border) {
        for (const [, other] of this.after(column)) reach(other, isPure);
        for (const edge of this.decidedBy(column)) {
          const dataset = this.intoDataset(edge);
          if (decided.has(dataset)) continue;
          decided.add(dataset);
          for (const each of this.columns(dataset)) reach(each, false);
        }
      }
      border = ahead;
    }
    const found = new Map<ColumnId, Reach>();
    for (const [column, depth] of pure) {
      const other = mixed.get(column);
      if (column !== start) found.set(column, { why: other === undefined ? "contributed" : "both", depth: Math.min(depth, other ?? depth) });
    }
    for (const [column, depth] of mixed) if (!pure.has(column)) found.set(column, { why: "referenced", depth });
    return found;
  }

  /** The datasets behind one: by values, through rows, or both, and how many steps away. */
  tableReach(start: DatasetId): Map<DatasetId, Reach> {
    const found = new Map<DatasetId, { bits: number; depth: number }>();
    let border: [DatasetId, number][] = [[start, 1]];
    for (let depth = 1; border.length; depth++) {
      const ahead: [DatasetId, number][] = [];
      for (const [dataset, bits] of border) {
        for (const link of this.linksOutOf.of(dataset)) {
          const [, to, marks] = this.link(link);
          if (to === start) continue;
          let next = 0;
          if (marks & FIELDS) next |= bits;
          if (marks & (ROWS | READ) && !(marks & FIELDS && !(marks & ROWS))) next |= 2;
          const known = found.get(to);
          const fresh = next & ~(known?.bits ?? 0);
          if (!fresh) continue;
          if (known) known.bits |= fresh;
          else found.set(to, { bits: fresh, depth });
          ahead.push([to, fresh]);
        }
      }
      border = ahead;
    }
    return new Map([...found].map(([dataset, { bits, depth }]) => [dataset, { why: WHYS[bits - 1]!, depth }]));
  }
}

const WHYS: Why[] = ["contributed", "referenced", "both"];

export interface Reach {
  why: Why;
  depth: number;
}

export interface Trace {
  columns: Set<ColumnId>;
  edges: Set<EdgeId>;
  /** Datasets whose rows are decided on the way. */
  datasets: Set<DatasetId>;
}

export function compared(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
