// The layers of a project, from left to right: named ones (sources, staging, intermediate, marts, consumers) where
// names, schemas, folders or kinds say so; else one for each schema or folder; else by depth.

import { CONSUMERS, type DatasetId, type Lineage } from "./lineage.ts";

export const LAYERS = ["Sources", "Staging", "Intermediate", "Marts", "Consumers"] as const;
const [SOURCES, STAGING, INTERMEDIATE, MARTS, LAST] = [0, 1, 2, 3, 4];

/** What a schema, a folder or the first part of a name says about a dataset's layer. */
const WORDS: Record<string, number> = {
  raw: SOURCES, src: SOURCES, source: SOURCES, sources: SOURCES, seed: SOURCES, seeds: SOURCES, landing: SOURCES, ext: SOURCES, external: SOURCES, bronze: SOURCES,
  stg: STAGING, staging: STAGING, stage: STAGING, base: STAGING, cleansed: STAGING,
  int: INTERMEDIATE, intermediate: INTERMEDIATE, silver: INTERMEDIATE, transform: INTERMEDIATE, core: INTERMEDIATE, ods: INTERMEDIATE,
  mart: MARTS, marts: MARTS, dim: MARTS, fct: MARTS, fact: MARTS, rpt: MARTS, report: MARTS, reports: MARTS, reporting: MARTS, gold: MARTS, agg: MARTS, kpi: MARTS, feat: MARTS, analytics: MARTS, presentation: MARTS,
};

/** Named layers need this share of the datasets to say theirs. */
const SHARE = 0.6;
/** More schemas or folders are no layers. */
const MOST_GROUPS = 8;
const MOST_STEPS = 6;

export interface Layering {
  names: string[];
  /** Each dataset's layer. */
  of: Uint8Array;
}

export function layering(lineage: Lineage): Layering {
  return byWords(lineage) ?? byGroup(lineage) ?? byDepth(lineage);
}

function byWords(lineage: Lineage): Layering | null {
  const { datasetCount } = lineage;
  const of = new Uint8Array(datasetCount);
  const open = new Set<DatasetId>();
  const models: DatasetId[] = [];
  for (let dataset = 0; dataset < datasetCount; dataset++) {
    const layer = worded(lineage, dataset);
    if (layer === undefined) open.add(dataset);
    else of[dataset] = layer;
    if (layer !== SOURCES && layer !== LAST) models.push(dataset);
  }
  const said = new Set(models.filter((dataset) => !open.has(dataset)).map((dataset) => of[dataset]));
  if (!said.size || open.size > (1 - SHARE) * datasetCount) return null;
  settle(lineage, open, of);
  return packed([...LAYERS], of);
}

function worded(lineage: Lineage, dataset: DatasetId): number | undefined {
  const kind = lineage.kind(dataset);
  if (CONSUMERS.has(kind)) return LAST;
  if (kind === "source" || kind === "seed") return SOURCES;
  const parts = lineage.name(dataset).toLowerCase().split(".");
  const own = WORDS[parts.pop()!.split("_")[0]!];
  if (own !== undefined) return own;
  const folders = (lineage.datasetPlace(dataset)?.file ?? "").toLowerCase().split("/").slice(0, -1);
  return [...folders, ...parts].reverse().map((part) => WORDS[part]).find((layer) => layer !== undefined);
}

/** Nothing says the layer: neighbors do. What is made from a layer is not left of it. */
function settle(lineage: Lineage, open: Set<DatasetId>, of: Uint8Array): void {
  const depth = depths(lineage);
  for (const dataset of [...open].sort((a, b) => depth[a]! - depth[b]!)) {
    const before = lineage.tablesInto(dataset, true);
    const least = lineage.tablesOutOf(dataset, true).length ? INTERMEDIATE : MARTS;
    of[dataset] = before.length ? Math.min(MARTS, before.reduce((layer, other) => Math.max(layer, of[other]!), least)) : SOURCES;
  }
}

function byGroup(lineage: Lineage): Layering | null {
  const { datasetCount } = lineage;
  const sums = new Map<string, [number, number]>();
  const depth = depths(lineage);
  for (let dataset = 0; dataset < datasetCount; dataset++) {
    const group = lineage.group(dataset);
    if (!lineage.isGrouped(dataset)) return null;
    const sum = sums.get(group) ?? [0, 0];
    sums.set(group, [sum[0] + depth[dataset]!, sum[1] + 1]);
    if (sums.size > MOST_GROUPS) return null;
  }
  if (sums.size < 2 || datasetCount < 3 * sums.size) return null;
  const mean = (name: string): number => sums.get(name)![0] / sums.get(name)![1];
  const names = [...sums.keys()].sort((a, b) => mean(a) - mean(b) || (a < b ? -1 : 1));
  const of = Uint8Array.from({ length: datasetCount }, (_, dataset) => names.indexOf(lineage.group(dataset)));
  return { names, of };
}

function byDepth(lineage: Lineage): Layering {
  const depth = depths(lineage);
  const deepest = depth.reduce((one, other) => Math.max(one, other), 0);
  const size = Math.max(1, Math.ceil(deepest / (MOST_STEPS - 1)));
  const names = ["Sources"];
  for (let first = 1; first <= deepest; first += size) {
    const last = Math.min(deepest, first + size - 1);
    names.push(first === last ? `Step ${first}` : `Steps ${first}–${last}`);
  }
  return { names, of: Uint8Array.from(depth, (steps) => Math.ceil(steps / size)) };
}

/** How many steps a dataset is from the sources, at most; those on a cycle follow the ones before it. */
export function depths(lineage: Lineage): Uint32Array {
  const { datasetCount } = lineage;
  const depth = new Uint32Array(datasetCount);
  const waiting = new Uint32Array(datasetCount);
  for (let dataset = 0; dataset < datasetCount; dataset++) waiting[dataset] = lineage.tablesInto(dataset, true).length;
  const ready = Array.from(waiting.keys()).filter((dataset) => !waiting[dataset]);
  let next = 0;
  for (let at = 0; at < datasetCount; at++) {
    if (at === ready.length) {
      while (!waiting[next]) next++;
      waiting[next] = 0;
      ready.push(next);
    }
    const dataset = ready[at]!;
    for (const other of lineage.tablesOutOf(dataset, true)) {
      if (!waiting[other]) continue;
      depth[other] = Math.max(depth[other]!, depth[dataset]! + 1);
      waiting[other]!--;
      if (!waiting[other]) ready.push(other);
    }
  }
  return depth;
}

/** Layers without a dataset are left out. */
function packed(names: string[], of: Uint8Array): Layering {
  const used = names.map((_, layer) => of.includes(layer));
  const to: number[] = [];
  let next = 0;
  for (const layer of names.keys()) to.push(used[layer] ? next++ : -1);
  return { names: names.filter((_, layer) => used[layer]), of: of.map((layer) => to[layer]!) };
}
