// What a change of a column does to everything behind it: the same answers as `lineal impact` (graph/effects.py).
//
//   drop, rename    a statement that names the column breaks, and what is made of its result is not rebuilt; a star
//                   passes the loss on without a word, to whoever names the column further down
//   type            goes along where a column is taken as it is, ends at a cast, and may change what others give
//   values          reach whatever is made of the column, or has rows that it decides

import type { ColumnId, DatasetId, EdgeId, Impacted, Lineage, Place, Usage } from "./lineage.ts";
import type { Change } from "./state.ts";

export const EFFECTS = ["breaks", "disappears", "renamed", "type", "maybe-type", "stale", "values"] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Affected extends Impacted {
  effect: Effect;
}

export interface Broken {
  dataset: DatasetId;
  why: string;
  place: Place | null;
}

export interface Effects {
  columns: Affected[];
  /** The tables whose statements break, and why. */
  broken: Broken[];
}

export function effectsOf(lineage: Lineage, start: ColumnId, change: Change): Effects {
  const reached = lineage.impact(start);
  const loss = change === "drop" || change === "rename" ? lossOf(lineage, start, change) : null;
  const types = change === "type" ? typesOf(lineage, start) : null;
  const effect = (each: Impacted): Effect => {
    if (loss) return loss.of(each.column);
    if (types && each.why !== "referenced") return types.get(each.column) ?? "values";
    return "values";
  };
  const columns = reached.map((each) => ({ ...each, effect: effect(each) }));
  const rank = (each: Affected): number => severity(each.effect) * 2 + Number(each.why === "referenced");
  const { order } = lineage;
  columns.sort((a, b) => rank(a) - rank(b) || a.depth - b.depth || order[a.column]! - order[b.column]!);
  return { columns, broken: loss ? loss.broken : [] };
}

function severity(effect: Effect): number {
  return EFFECTS.indexOf(effect);
}

// -- a whole table ---------------------------------------------------------------------------------

export type TableChange = "values" | "drop";

/** What a change of a table does to those behind it: whoever reads a dropped one breaks, the rest is not rebuilt. */
export function tableEffects(lineage: Lineage, dataset: DatasetId, change: TableChange): Map<DatasetId, Effect> {
  const found = new Map<DatasetId, Effect>([...lineage.tableReach(dataset).keys()].map((each) => [each, "values"]));
  if (change === "values") return found;
  const readers = new Set(lineage.readersOf(dataset));
  for (const each of lineage.readersBehind(readers)) found.set(each, "stale");
  for (const each of readers) found.set(each, "breaks");
  found.delete(dataset);
  return found;
}

// -- a name that is gone ---------------------------------------------------------------------------

interface Loss {
  of: (column: ColumnId) => Effect;
  broken: Broken[];
}

/** Follow the lost name: a statement that names it breaks, a star hands the loss on. */
function lossOf(lineage: Lineage, start: ColumnId, change: "drop" | "rename"): Loss {
  const broken = new Map<DatasetId, Broken>();
  const shifted = new Map<DatasetId, Broken>();
  const gone = new Set<ColumnId>();
  const met = new Set([start]);
  for (const column of met) {
    const naming = lineage.namedBy(column);
    for (const [dataset, { clause, place }] of naming) {
      if (dataset === lineage.datasetOf[column] || broken.has(dataset)) continue;
      broken.set(dataset, { dataset, why: `names ${lineage.fullName(column)} in ${clause}`, place });
    }
    for (const [edge, target] of lineage.after(column)) {
      const dataset = lineage.datasetOf[target]!;
      if (naming.has(dataset) || dataset === lineage.datasetOf[column] || lineage.edgeKind(edge) !== "copy") continue;
      if (change === "drop" && lineage.byPosition(dataset)) {
        if (!shifted.has(dataset)) shifted.set(dataset, { dataset, why: `matches columns by position, and ${lineage.fullName(column)} is gone`, place: null });
      } else if (!met.has(target)) {
        gone.add(target);
        met.add(target);
      }
    }
  }
  const fallen = new Set([...broken.keys(), ...shifted.keys()]);
  const starved = lineage.readersBehind(fallen);
  starved.delete(lineage.datasetOf[start]!);
  const of = (column: ColumnId): Effect => {
    const dataset = lineage.datasetOf[column]!;
    if (fallen.has(dataset)) return "breaks";
    if (gone.has(column)) return change === "drop" ? "disappears" : "renamed";
    return starved.has(dataset) ? "stale" : "values";
  };
  const rest = [...shifted.values()].filter((each) => !broken.has(each.dataset));
  return { of, broken: [...broken.values(), ...rest] };
}

// -- a type that is another ------------------------------------------------------------------------

/** How far the type goes: as it is along copies, perhaps through expressions, never through a cast. */
function typesOf(lineage: Lineage, start: ColumnId): Map<ColumnId, Effect> {
  const found = new Map<ColumnId, Effect>([[start, "type"]]);
  const waiting = [start];
  for (let column = waiting.shift(); column !== undefined; column = waiting.shift()) {
    const state = found.get(column)!;
    for (const [edge, target] of lineage.after(column)) {
      if (target === start) continue;
      const effect = typeThrough(lineage, edge, state);
      const held = found.get(target);
      if (held === undefined || severity(effect) < severity(held)) {
        found.set(target, effect);
        waiting.push(target);
      }
    }
  }
  return found;
}

function typeThrough(lineage: Lineage, edge: EdgeId, state: Effect): Effect {
  const effects = lineage.usages(edge).map((usage) => usageType(lineage, usage, state));
  return effects.reduce((one, other) => (severity(other) < severity(one) ? other : one), "values" as Effect);
}

function usageType(lineage: Lineage, usage: Usage, state: Effect): Effect {
  if (!DIRECT.has(usage.how)) return "values";
  if (usage.how === "IDENTITY") return state;
  const { calls } = lineage.raw;
  const through = usage.transform === "direct" ? [] : usage.transform.split("+");
  if (through.some((call) => calls.fixed.includes(call)) || (usage.masked && usage.how === "AGGREGATION")) return "values";
  if (state === "values") return "values";
  return through.every((call) => calls.kept.includes(call)) ? state : "maybe-type";
}

/** What is near, or reached by value, is shown first; the rest is folded away. */
export function near(each: Impacted): boolean {
  return each.why !== "referenced" || each.depth <= 1;
}

const DIRECT = new Set(["IDENTITY", "TRANSFORMATION", "AGGREGATION"]);
