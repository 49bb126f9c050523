// The words of the search and of the filters: `tag:finance label:pii orders`. Every word has to hold; `a,b` is either;
// a leading minus turns a word around.

import { CONSUMERS, DOUBTFUL, LOW, MEDIUM, type DatasetId, type Lineage } from "./lineage.ts";
import type { Layering } from "./layers.ts";

export const FIELDS = ["kind", "layer", "tag", "label", "in", "confidence", "has", "is", "consumer"] as const;
export type Field = (typeof FIELDS)[number];

export interface Word {
  field: Field | null;
  values: string[];
  not: boolean;
}

/** What a field is called in the rail. */
export const FIELD_WORDS: Record<Field, string> = {
  kind: "Kind",
  layer: "Layer",
  tag: "Tag",
  label: "Classification",
  in: "Schema or folder",
  confidence: "Confidence",
  has: "Diagnostics",
  is: "Changed",
  consumer: "Consumers",
};

export function parse(query: string): Word[] {
  const found: Word[] = [];
  for (const [, minus, field, quoted, bare] of query.matchAll(/(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)) {
    const known = FIELDS.find((each) => each === field?.toLowerCase()) ?? null;
    const value = (quoted ?? bare ?? "").toLowerCase();
    const text = known === null && field ? `${field}:${value}`.toLowerCase() : value;
    if (!text) continue;
    const values = known && quoted === undefined ? text.split(",").filter(Boolean) : [text];
    found.push({ field: known, values, not: minus === "-" && (known !== null || text.length > 1) });
  }
  return found;
}

function write(words: Word[]): string {
  return words.map(({ field, values, not }) => `${not ? "-" : ""}${field ? `${field}:` : ""}${values.map(quoted).join(",")}`).join(" ");
}

function quoted(value: string): string {
  return /[\s,"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value;
}

/** The query with a value of a field switched on or off. */
export function toggled(query: string, field: Field, value: string): string {
  const words = parse(query);
  const wanted = value.toLowerCase();
  const word = words.find((each) => each.field === field && !each.not && (each.values.includes(wanted) || !/[\s,"]/.test(wanted + each.values.join(""))));
  if (!word) words.push({ field, values: [wanted], not: false });
  else if (word.values.includes(wanted)) word.values = word.values.filter((each) => each !== wanted);
  else word.values.push(wanted);
  return write(words.filter((each) => each.values.length));
}

export function isOn(query: string, field: Field, value: string): boolean {
  return parse(query).some((word) => word.field === field && !word.not && word.values.includes(value.toLowerCase()));
}

/** What can be asked of datasets, with the values that there are. */
export class Facets {
  private labels: Set<string>[] | null = null;
  private changed: Set<DatasetId> | null = null;

  constructor(
    private lineage: Lineage,
    readonly layers: Layering,
  ) {}

  values(field: Field, dataset: DatasetId): Iterable<string> {
    const { lineage } = this;
    if (field === "kind") return [lineage.kind(dataset).toLowerCase()];
    if (field === "layer") return [this.layers.names[this.layers.of[dataset]!]!.toLowerCase()];
    if (field === "tag") return lineage.tags(dataset).map((tag) => tag.toLowerCase());
    if (field === "label") return this.labelsOf(dataset);
    if (field === "in") return [lineage.group(dataset).toLowerCase()];
    if (field === "confidence") return this.confidence(dataset);
    if (field === "has") return [...new Set(lineage.diagnosticsOf(dataset).flatMap((each) => ["diagnostics", lineage.raw.diagnostics[each]!.severity]))];
    if (field === "is") return this.isChanged(dataset) ? ["changed"] : [];
    return this.consumers(dataset);
  }

  /** How many datasets have each value of a field, most first. */
  counts(field: Field): [string, number][] {
    const counts = new Map<string, number>();
    for (let dataset = 0; dataset < this.lineage.datasetCount; dataset++) {
      for (const value of this.values(field, dataset)) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const order = (value: string): number => (field === "layer" ? this.layers.names.findIndex((name) => name.toLowerCase() === value) : 0);
    return [...counts].sort((a, b) => order(a[0]) - order(b[0]) || b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  matcher(query: string): (dataset: DatasetId) => boolean {
    const words = parse(query);
    return (dataset) => words.every((word) => this.holds(word, dataset));
  }

  holds({ field, values, not }: Word, dataset: DatasetId): boolean {
    if (field === null) return this.named(values[0]!, dataset) !== not;
    for (const value of this.values(field, dataset)) {
      if (values.some((wanted) => value === wanted || (field === "in" && value.startsWith(wanted)))) return !not;
    }
    return not;
  }

  private named(word: string, dataset: DatasetId): boolean {
    return this.lineage.name(dataset).toLowerCase().includes(word) || this.lineage.about(dataset).toLowerCase().includes(word);
  }

  private labelsOf(dataset: DatasetId): Set<string> {
    if (!this.labels) {
      const { lineage } = this;
      this.labels = Array.from({ length: lineage.datasetCount }, () => new Set<string>());
      const texts = lineage.raw.columns[3]!;
      for (let column = 0; column < lineage.columnCount; column++) {
        if (texts[column]) for (const label of lineage.labels(column)) this.labels[lineage.datasetOf[column]!]!.add(label.toLowerCase());
      }
    }
    return this.labels[dataset]!;
  }

  private confidence(dataset: DatasetId): string[] {
    let marks = 0;
    for (const link of this.lineage.linksOf(dataset, true)) marks |= this.lineage.link(link)[2];
    const found: string[] = [];
    if (marks & LOW) found.push("low");
    if (marks & MEDIUM) found.push("medium");
    if (marks & DOUBTFUL) found.push("ambiguous");
    if (marks && !found.length) found.push("high");
    return found;
  }

  isChanged(dataset: DatasetId): boolean {
    const { diff } = this.lineage.raw;
    if (!diff) return false;
    this.changed ??= touched(this.lineage);
    return this.changed.has(dataset);
  }

  /** A consumer's own kind, and the kinds of consumers that read a dataset. */
  private consumers(dataset: DatasetId): string[] {
    const { lineage } = this;
    if (CONSUMERS.has(lineage.kind(dataset))) return [lineage.kind(dataset)];
    const readers = [...lineage.linksOf(dataset, false)].map((link) => lineage.kind(lineage.link(link)[1]));
    return [...new Set(readers.filter((kind) => CONSUMERS.has(kind)))];
  }
}

/** Every dataset that a comparison marks, or has a mark in. */
export function touched(lineage: Lineage): Set<DatasetId> {
  const { diff } = lineage.raw;
  const found = new Set<DatasetId>();
  if (!diff) return found;
  for (const [dataset] of diff.datasets) found.add(dataset);
  for (const [column] of diff.columns) found.add(lineage.datasetOf[column]!);
  for (const [edge] of diff.edges) found.add(lineage.intoDataset(edge)).add(lineage.datasetOf[lineage.source(edge)]!);
  return found;
}
