// Fuzzy search over tables, columns and descriptions. One long text per kind is scanned once for each query, so that
// a hundred thousand columns take a few milliseconds.

import type { ColumnId, DatasetId, Lineage } from "./lineage.ts";

export type Hit =
  | { kind: "dataset"; id: DatasetId; name: string; about: string; score: number }
  | { kind: "column"; id: ColumnId; name: string; about: string; score: number };

const MOST = 50;

export class Search {
  private datasetNames: string[] = [];
  private columnNames: string[] = [];

  constructor(private lineage: Lineage) {
    for (let d = 0; d < lineage.datasetCount; d++) this.datasetNames.push(lineage.name(d).toLowerCase());
    const datasetOf = lineage.datasetOf;
    for (let c = 0; c < lineage.columnCount; c++) {
      this.columnNames.push(`${this.datasetNames[datasetOf[c]!]}.${lineage.columnName(c).toLowerCase()}`);
    }
  }

  /** The best hits: whole names before beginnings, beginnings before parts, parts before scattered letters. */
  find(query: string): Hit[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const hits: Hit[] = [];
    const lineage = this.lineage;
    this.datasetNames.forEach((name, id) => {
      const score = scored(words, name) + described(words, lineage.about(id));
      if (score) hits.push({ kind: "dataset", id, name: lineage.name(id), about: lineage.about(id), score: score + 6 });
    });
    this.columnNames.forEach((name, id) => {
      let score = scored(words, name);
      if (!score) score = described(words, lineage.description(id));
      if (score) hits.push({ kind: "column", id, name: "", about: "", score });
    });
    hits.sort((a, b) => b.score - a.score || a.id - b.id);
    return hits.slice(0, MOST).map((hit) =>
      hit.kind === "column" ? { ...hit, name: lineage.fullName(hit.id), about: lineage.description(hit.id) } : hit,
    );
  }
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
  return scattered(word, name);
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

function described(words: string[], text: string): number {
  if (!text) return 0;
  const low = text.toLowerCase();
  return words.every((word) => low.includes(word)) ? 12 : 0;
}
