// What a map shows: layers, in them schemas or folders, in those tables; of siblings with the same neighbors one box.

import type { Layering } from "./layers.ts";
import type { DatasetId, Lineage } from "./lineage.ts";
import { counted, thousands } from "./words.ts";

export type What = "layer" | "group" | "fold" | "range" | "table";

export interface Tree {
  key: string;
  name: string;
  what: What;
  children: Tree[];
  /** How many datasets are in it. */
  count: number;
  /** Of a table the dataset, else -1. */
  dataset: DatasetId;
  layer: number;
}

/** Siblings with the same neighbors are one box from this number on. */
export const FOLDED = 6;
/** A box opens into no more than this. */
const MOST_CHILDREN = 36;
/** So few tables of a layer stand side by side without schemas or folders. */
const FEW = 12;

export type By = "layer" | "folder";

export class Forest {
  readonly layers: Tree[];
  private shared: Map<DatasetId, string>;

  constructor(
    private lineage: Lineage,
    private layering: Layering,
    datasets: Iterable<DatasetId>,
    by: By,
  ) {
    const set = new Set(datasets);
    this.shared = neighborhoods(lineage, set);
    const several = new Map<number, DatasetId[]>();
    const groups = by === "layer" ? null : this.folders(set);
    for (const dataset of set) add(several, groups ? groups.get(lineage.group(dataset))! : layering.of[dataset]!, dataset);
    const names = groups ? [...groups.keys()] : layering.names;
    this.layers = [...several.keys()].sort((a, b) => a - b).map((layer) => this.layer(names[layer]!, layer, several.get(layer)!));
  }

  /** Schemas and folders in the order of their layers. */
  private folders(set: Set<DatasetId>): Map<string, number> {
    const first = new Map<string, number>();
    for (const dataset of set) {
      const group = this.lineage.group(dataset);
      first.set(group, Math.max(first.get(group) ?? 0, this.layering.of[dataset]!));
    }
    const names = [...first.keys()].sort((a, b) => first.get(a)! - first.get(b)! || (a < b ? -1 : 1));
    return new Map(names.map((name, index) => [name, index]));
  }

  private layer(name: string, layer: number, datasets: DatasetId[]): Tree {
    const key = name.toLowerCase();
    const groups = datasets.length > FEW ? this.groups(datasets) : new Map<string, DatasetId[]>();
    const useful = groups.size > 1;
    const children = useful
      ? [...groups].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([group, several]) => this.box(`${key}/${group}`, group, "group", layer, this.tables(`${key}/${group}`, layer, several)))
      : this.tables(key, layer, datasets);
    return this.box(key, name, "layer", layer, useful ? this.ranges(key, layer, children) : children);
  }

  /** Schemas or folders, else the second part of names (`stg_finance_…`); nothing if there are too many of them. */
  private groups(datasets: DatasetId[]): Map<string, DatasetId[]> {
    for (const by of [(dataset: DatasetId) => this.lineage.group(dataset), (dataset: DatasetId) => topic(this.lineage.name(dataset))]) {
      const groups = new Map<string, DatasetId[]>();
      for (const dataset of datasets) add(groups, by(dataset), dataset);
      if (groups.size > 1 && groups.size <= datasets.length / 3) return groups;
    }
    return new Map();
  }

  private box(key: string, name: string, what: What, layer: number, children: Tree[]): Tree {
    return { key, name, what, children, layer, dataset: -1, count: children.reduce((sum, child) => sum + child.count, 0) };
  }

  /** Tables in the order of their names, those with the same neighbors in one box. */
  private tables(key: string, layer: number, datasets: DatasetId[]): Tree[] {
    const siblings = new Map<string, DatasetId[]>();
    for (const dataset of datasets) add(siblings, this.shared.get(dataset)!, dataset);
    const found: Tree[] = [];
    for (const several of siblings.values()) {
      if (several.length < FOLDED) found.push(...several.map((dataset) => this.table(dataset, layer)));
      else found.push(this.fold(key, layer, several));
    }
    return this.ranges(key, layer, found.sort(byName));
  }

  table(dataset: DatasetId, layer: number): Tree {
    return { key: "", name: this.lineage.name(dataset), what: "table", children: [], count: 1, dataset, layer };
  }

  fold(key: string, layer: number, datasets: DatasetId[]): Tree {
    const tables = datasets.map((dataset) => this.table(dataset, layer)).sort(byName);
    const inner = `${key}=${tables[0]!.name}`;
    return this.box(inner, kindsOf(this.lineage, datasets), "fold", layer, this.ranges(inner, layer, tables));
  }

  /** Too many for one look: ranges of names, and ranges of ranges. */
  private ranges(key: string, layer: number, trees: Tree[]): Tree[] {
    if (trees.length <= MOST_CHILDREN) return trees;
    const parts = Math.min(Math.max(6, Math.ceil(trees.length / MOST_CHILDREN)), MOST_CHILDREN / 2);
    const size = Math.ceil(trees.length / parts);
    const found: Tree[] = [];
    for (let first = 0; first < trees.length; first += size) {
      const part = trees.slice(first, first + size);
      const [from, to] = [part[0]!.name, part[part.length - 1]!.name];
      const inner = `${key}~${from}`;
      found.push(this.box(inner, `${from} … ${to}`, "range", layer, this.ranges(inner, layer, part)));
    }
    return found;
  }
}

/** `stg_finance_orders`: finance. */
function topic(name: string): string {
  const parts = name.slice(name.lastIndexOf(".") + 1).split("_");
  return parts.length > 2 ? parts[1]! : parts[0]!;
}

function byName(a: Tree, b: Tree): number {
  return a.name < b.name ? -1 : 1;
}

/** "104 sources", "12 tables" if they differ. */
export function kindsOf(lineage: Lineage, datasets: DatasetId[]): string {
  const kinds = new Set(datasets.map((dataset) => lineage.kind(dataset)));
  const [kind] = kinds;
  const noun = kinds.size === 1 && kind && /^[a-z_ ]+$/.test(kind) ? kind.replaceAll("_", " ") : "table";
  if (noun === "query") return `${thousands(datasets.length)} queries`;
  return counted(datasets.length, noun === "sql" || noun === "python" ? `${noun === "sql" ? "SQL" : "Python"} model` : noun);
}

/** Each dataset's neighbors among those of a set, as a text: equal for siblings. */
export function neighborhoods(lineage: Lineage, set: Set<DatasetId>): Map<DatasetId, string> {
  const found = new Map<DatasetId, string>();
  for (const dataset of set) {
    const into = lineage.tablesInto(dataset, true).filter((other) => set.has(other));
    const out = lineage.tablesOutOf(dataset, true).filter((other) => set.has(other));
    found.set(dataset, `${into.sort(upwards).join()}>${out.sort(upwards).join()}`);
  }
  return found;
}

function upwards(a: number, b: number): number {
  return a - b;
}

export function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
