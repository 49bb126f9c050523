// Fuzzy search over tables, columns and descriptions. All names stand in one long text, which the engine scans at its
// full speed, so that a hundred thousand columns take a few milliseconds.

import type { ColumnId, DatasetId, Lineage } from "./lineage.ts";
import { parse, type Facets, type Word } from "./query.ts";

export type Hit =
  | { kind: "dataset"; id: DatasetId; name: string; about: string; score: number }
  | { kind: "column"; id: ColumnId; name: string; about: string; score: number };

const MOST = 50;
/** So many places of a word are weighed; of a word that stands everywhere the first ones do. */
const MOST_WEIGHED = 4000;
const FEW = 20;

/** Lines that can be searched for a word, and say which of them have it. */
class Lines {
  private text: string;
  private starts: Uint32Array;

  constructor(private lines: string[]) {
    this.text = lines.join("\n");
    this.starts = new Uint32Array(lines.length + 1);
    let at = 0;
    lines.forEach((line, index) => {
      this.starts[index] = at;
      at += line.length + 1;
    });
    this.starts[lines.length] = at;
  }

  line(index: number): string {
    return this.lines[index]!;
  }

  *having(word: string): Generator<number> {
    let count = 0;
    for (let at = this.text.indexOf(word); at >= 0 && count < MOST_WEIGHED; count++) {
      const index = this.indexAt(at);
      yield index;
      at = this.text.indexOf(word, this.starts[index + 1]!);
    }
  }

  private indexAt(position: number): number {
    let low = 0;
    let high = this.lines.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}

export class Search {
  private datasets: Lines;
  private columns: Lines;
  private abouts: Lines;
  private descriptions: Lines;
  private described: ColumnId[] = [];

  constructor(
    private lineage: Lineage,
    private facets: Facets,
  ) {
    const { datasetCount, columnCount, datasetOf } = lineage;
    const names = Array.from({ length: datasetCount }, (_, id) => plain(lineage.name(id)));
    this.datasets = new Lines(names);
    this.columns = new Lines(Array.from({ length: columnCount }, (_, id) => `${names[datasetOf[id]!]!}.${plain(lineage.columnName(id))}`));
    this.abouts = new Lines(Array.from({ length: datasetCount }, (_, id) => plain(lineage.about(id))));
    for (let id = 0; id < columnCount; id++) if (lineage.description(id)) this.described.push(id);
    this.descriptions = new Lines(this.described.map((id) => plain(lineage.description(id))));
  }

  /** The best hits: whole names before beginnings, beginnings before parts, parts before slips and scattered letters. */
  find(query: string): Hit[] {
    const asked = parse(query);
    const words = asked.filter((word) => word.field === null).flatMap((word) => word.values);
    const filters = asked.filter((word) => word.field !== null);
    const datasets = new Map<DatasetId, number>();
    const columns = new Map<ColumnId, number>();
    if (!asked.length) return [];
    if (!words.length) return this.filtered(query);
    this.weigh(this.datasets, words, (id, score) => datasets.set(id, score + 6));
    this.weigh(this.columns, words, (id, score) => columns.set(id, score));
    this.tell(this.abouts, words, (id) => datasets.set(id, (datasets.get(id) ?? 0) + 12));
    this.tell(this.descriptions, words, (index) => columns.set(this.described[index]!, Math.max(12, columns.get(this.described[index]!) ?? 0)));
    if (datasets.size + columns.size < FEW) this.scatter(words, datasets, columns);
    if (filters.length) this.sift(filters, datasets, columns);
    return this.best(datasets, columns);
  }

  /** Without a word of a name: all tables that the filters leave. */
  private filtered(query: string): Hit[] {
    const matches = this.facets.matcher(query);
    const found = new Map<DatasetId, number>();
    for (let id = 0; id < this.lineage.datasetCount && found.size < MOST; id++) if (matches(id)) found.set(id, 1);
    return this.best(found, new Map());
  }

  private sift(filters: Word[], datasets: Map<DatasetId, number>, columns: Map<ColumnId, number>): void {
    const matches = (id: DatasetId): boolean => filters.every((word) => this.facets.holds(word, id));
    const labels = filters.filter((word) => word.field === "label" && !word.not);
    const labelled = (id: ColumnId): boolean => labels.every((word) => this.lineage.labels(id).some((label) => word.values.includes(label.toLowerCase())));
    for (const id of datasets.keys()) if (!matches(id)) datasets.delete(id);
    for (const id of columns.keys()) if (!matches(this.lineage.datasetOf[id]!) || !labelled(id)) columns.delete(id);
  }

  private weigh(lines: Lines, words: string[], found: (id: number, score: number) => void): void {
    for (const id of lines.having(longest(words))) {
      const score = scored(words, lines.line(id));
      if (score) found(id, score);
    }
  }

  private tell(lines: Lines, words: string[], found: (id: number) => void): void {
    for (const id of lines.having(longest(words))) {
      const line = lines.line(id);
      if (words.every((word) => line.includes(word))) found(id);
    }
  }

  /** Few names have the words as they are: then those that have their letters in order. */
  private scatter(words: string[], datasets: Map<DatasetId, number>, columns: Map<ColumnId, number>): void {
    const { lineage } = this;
    for (let id = 0; id < lineage.datasetCount; id++) {
      const score = datasets.has(id) ? 0 : scored(words, this.datasets.line(id));
      if (score) datasets.set(id, score);
    }
    const known = new Map<string, number>();
    for (let id = 0; id < lineage.columnCount && columns.size < MOST; id++) {
      const name = lineage.columnName(id);
      let score = known.get(name);
      if (score === undefined) known.set(name, (score = scored(words, name.toLowerCase())));
      if (score && !columns.has(id)) columns.set(id, score);
    }
  }

  private best(datasets: Map<DatasetId, number>, columns: Map<ColumnId, number>): Hit[] {
    const { lineage } = this;
    const hits: { kind: "dataset" | "column"; id: number; score: number }[] = [];
    for (const [id, score] of datasets) hits.push({ kind: "dataset", id, score });
    for (const [id, score] of columns) hits.push({ kind: "column", id, score });
    hits.sort((a, b) => b.score - a.score || (a.kind < b.kind ? 1 : a.kind > b.kind ? -1 : a.id - b.id));
    return hits.slice(0, MOST).map((hit): Hit =>
      hit.kind === "dataset"
        ? { ...hit, kind: "dataset", name: lineage.name(hit.id), about: lineage.about(hit.id) }
        : { ...hit, kind: "column", name: lineage.fullName(hit.id), about: lineage.description(hit.id) },
    );
  }
}

/** On one line, in small letters. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll("\n", " ");
}

function longest(words: string[]): string {
  return words.reduce((one, other) => (other.length > one.length ? other : one));
}

/** 0 for no match; every word has to be found. */
export function scored(words: string[], name: string): number {
  let total = 0;
  for (const word of words) {
    const score = scoreOf(word, name);
    if (!score) return 0;
    total += score;
  }
  return total;
}

function scoreOf(word: string, name: string): number {
  const at = name.indexOf(word);
  if (at >= 0) {
    const last = name.lastIndexOf(".") + 1;
    if (name.length === word.length) return 120;
    if (last + word.length === name.length && name.endsWith(word)) return 100;
    const begins = at === 0 || at === last || "._ -/".includes(name[at - 1]!);
    return (begins ? 70 : 45) - Math.min(20, (name.length - word.length) / 4);
  }
  return Math.max(slipped(word, name), scattered(word, name));
}

/** `ordres` in `stg_orders`: two letters are the wrong way round, one is another, one is missing or too many. */
function slipped(word: string, name: string): number {
  if (word.length < 4) return 0;
  const parts = [name, name.slice(name.lastIndexOf(".") + 1), ...name.split(/[._ \-/]/)];
  for (const part of parts) if (Math.abs(part.length - word.length) <= 1 && isSlip(word, part)) return 30;
  return 0;
}

/** One edit apart: the rest behind the first difference decides. */
function isSlip(one: string, other: string): boolean {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const [left, right] = [one.slice(at), other.slice(at)];
  if (left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1)) return true;
  return left.length > 1 && left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
}

/** `ctot` in `customer_total`: letters in order; close together is better. */
function scattered(word: string, name: string): number {
  if (word.length < 3) return 0;
  let from = 0;
  let first = -1;
  for (const letter of word) {
    const at = name.indexOf(letter, from);
    if (at < 0) return 0;
    if (first < 0) first = at;
    from = at + 1;
  }
  const spread = (from - first) / word.length;
  return spread > 4 ? 0 : 20 - spread * 3;
}
