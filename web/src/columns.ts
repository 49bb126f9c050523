// Where things go: columns from left to right, the order in them by their neighbors, and lanes for the lines that pass a
// column. Lines out of one thing share their lanes, as far as they go together.

import { capSteps, ranksOf } from "./ranks.ts";
import type { Node, Placed, Request } from "./layout.ts";

const GAP = 16;
const LANE = 7;
const BETWEEN = 44;
const BETWEEN_LAYERS = 72;
/** A picture that is too high for the stage has room at its sides: gaps grow up to this, cards up to that share. */
const WIDEST_GAP = 210;
const WIDEST_CARD = 1.5;
const SWEEPS = 10;
const RELAXATIONS = 24;

/** A card, or a lane through a column. */
interface Slot {
  id: number;
  height: number;
  y: number;
  into: Slot[];
  out: Slot[];
  at: number;
}

export function inColumns(request: Request): Placed {
  const columnOf = columnsOf(request);
  const width = Math.max(...columnOf.values()) + 1;
  const columns: Slot[][] = Array.from({ length: width }, () => []);
  const cards = new Map<number, Slot>();
  for (const node of request.nodes) {
    const slot = made(node.id, node.height);
    cards.set(node.id, slot);
    columns[columnOf.get(node.id)!]!.push(slot);
  }
  const ways = lanes(request, columnOf, columns, cards);
  order(columns);
  settle(columns);
  return result(request, columnOf, columns, cards, ways);
}

function made(id: number, height: number): Slot {
  return { id, height, y: 0, into: [], out: [], at: 0 };
}

function columnsOf({ nodes, edges, most = Infinity }: Request): Map<number, number> {
  const layer = new Map(nodes.map((node) => [node.id, node.layer ?? 0]));
  const ranks = ranksOf(nodes.map((node) => node.id), edges, (id) => layer.get(id)!);
  const last = new Map<number, number>();
  for (const [id, rank] of ranks) last.set(layer.get(id)!, Math.max(last.get(layer.get(id)!) ?? 0, rank));
  if (nodes.some((node) => node.layer !== undefined)) capSteps(last);
  const found = new Map<number, number>();
  let first = 0;
  for (const each of [...last.keys()].sort((a, b) => a - b)) {
    for (let step = 0; step <= last.get(each)!; step++) {
      const several = nodes.filter(({ id }) => layer.get(id) === each && Math.min(ranks.get(id)!, last.get(each)!) === step);
      several.forEach(({ id }, index) => found.set(id, first + Math.floor(index / most)));
      first += Math.max(1, Math.ceil(several.length / most));
    }
  }
  return found;
}

/** The slots that each edge passes, and the neighbors of all slots. */
function lanes({ edges }: Request, columnOf: Map<number, number>, columns: Slot[][], cards: Map<number, Slot>): Map<string, Slot[]> {
  const shared = new Map<string, Slot>();
  const ways = new Map<string, Slot[]>();
  const joined = new Set<string>();
  let next = -1;
  const join = (left: Slot, right: Slot): void => {
    const pair = `${left.id} ${right.id}`;
    if (joined.has(pair)) return;
    joined.add(pair);
    left.out.push(right);
    right.into.push(left);
  };
  for (const [from, to] of edges) {
    const [a, b] = [columnOf.get(from)!, columnOf.get(to)!];
    const step = a < b ? 1 : -1;
    const passed: Slot[] = [];
    for (let column = a + step; a !== b && column !== b; column += step) {
      const key = `${from} ${column} ${step}`;
      let slot = shared.get(key);
      if (!slot) {
        shared.set(key, (slot = made(next--, LANE)));
        columns[column]!.push(slot);
      }
      passed.push(slot);
    }
    ways.set(`${from}>${to}`, passed);
    if (a === b) continue;
    const way = [cards.get(from)!, ...passed, cards.get(to)!];
    if (step < 0) way.reverse();
    for (let index = 1; index < way.length; index++) join(way[index - 1]!, way[index]!);
  }
  return ways;
}

function order(columns: Slot[][]): void {
  const number = (): void => columns.forEach((column) => column.forEach((slot, index) => (slot.at = index)));
  number();
  const mean = (slots: Slot[], own: number): number => (slots.length ? slots.reduce((sum, slot) => sum + slot.at, 0) / slots.length : own);
  let best = Infinity;
  let kept = columns.map((column) => [...column]);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    const sequence = down ? columns : [...columns].reverse();
    for (const column of sequence) {
      const weight = new Map(column.map((slot) => [slot, mean(down ? slot.into : slot.out, slot.at)]));
      column.sort((a, b) => weight.get(a)! - weight.get(b)! || a.at - b.at);
      column.forEach((slot, index) => (slot.at = index));
    }
    const found = crossings(columns);
    if (found < best) {
      best = found;
      kept = columns.map((column) => [...column]);
    }
  }
  kept.forEach((column, index) => (columns[index] = column));
  number();
}

function crossings(columns: Slot[][]): number {
  let count = 0;
  for (const column of columns) {
    const ends = column.flatMap((slot) => slot.out.map((other) => other.at).sort((a, b) => a - b));
    const most = Math.max(0, ...ends) + 1;
    const seen = new Uint32Array(most + 1);
    for (const [index, end] of ends.entries()) {
      let below = 0;
      for (let at = end + 1; at > 0; at -= at & -at) below += seen[at]!;
      count += index - below;
      for (let at = end + 1; at <= most; at += at & -at) seen[at]!++;
    }
  }
  return count;
}

/** Heights: near to the neighbors, without an overlap. */
function settle(columns: Slot[][]): void {
  for (const column of columns) {
    let y = 0;
    for (const slot of column) {
      slot.y = y;
      y += slot.height + room(slot);
    }
    const shift = -y / 2;
    for (const slot of column) slot.y += shift;
  }
  const centre = (slot: Slot): number => slot.y + slot.height / 2;
  for (let round = 0; round < RELAXATIONS; round++) {
    const down = round % 2 === 0;
    const sequence = down ? columns : [...columns].reverse();
    const pull = 0.95 * (1 - round / (2 * RELAXATIONS));
    for (const column of sequence) {
      for (const slot of column) {
        const beside = down ? slot.into : slot.out;
        const all = beside.length ? beside : down ? slot.out : slot.into;
        if (!all.length) continue;
        const wanted = all.reduce((sum, other) => sum + centre(other), 0) / all.length;
        slot.y += (wanted - centre(slot)) * pull;
      }
      spread(column);
    }
  }
}

function room(slot: Slot): number {
  return slot.id < 0 ? LANE : GAP;
}

/** Pushes what overlaps apart, and keeps the column's middle. */
function spread(column: Slot[]): void {
  if (!column.length) return;
  const wanted = column.reduce((sum, slot) => sum + slot.y, 0);
  for (let index = 1; index < column.length; index++) {
    const above = column[index - 1]!;
    column[index]!.y = Math.max(column[index]!.y, above.y + above.height + Math.max(room(above), room(column[index]!)));
  }
  const shift = (wanted - column.reduce((sum, slot) => sum + slot.y, 0)) / column.length;
  for (const slot of column) slot.y += shift;
}

function result(request: Request, columnOf: Map<number, number>, columns: Slot[][], cards: Map<number, Slot>, ways: Map<string, Slot[]>): Placed {
  const sizes = new Map(request.nodes.map((node) => [node.id, node]));
  const widths = columns.map((column) => Math.max(0, ...column.filter((slot) => slot.id >= 0).map((slot) => sizes.get(slot.id)!.width)));
  const layerAt = columns.map((column) => sizes.get(column.find((slot) => slot.id >= 0)?.id ?? -1)?.layer ?? 0);
  const borders: [number, number][] = [];
  const gaps = widths.map((_, column) => (!column ? 0 : layerAt[column] === layerAt[column - 1] ? BETWEEN : BETWEEN_LAYERS));
  fill(request, columns, widths, gaps);
  let x = 0;
  widths.forEach((width, column) => {
    x += gaps[column]!;
    borders.push([x, x + width]);
    x += width;
  });
  const at: Placed["at"] = {};
  const stretched: Record<number, number> = {};
  for (const [id, slot] of cards) {
    const [left, right] = borders[columnOf.get(id)!]!;
    at[id] = { x: left, y: Math.round(slot.y) };
    stretched[id] = right - left;
  }
  const found: Placed["lanes"] = {};
  const home = new Map<Slot, number>();
  columns.forEach((column, index) => column.forEach((slot) => home.set(slot, index)));
  for (const [pair, passed] of ways) found[pair] = passed.map((slot) => [...borders[home.get(slot)!]!, Math.round(slot.y + slot.height / 2)]);
  return { number: request.number, at, widths: stretched, lanes: found, layers: borders, bands: bandsOf(request.nodes, at, stretched), groups: [] };
}

/** Spreads a picture that is too high for the stage over the stage's width. */
function fill({ room }: Request, columns: Slot[][], widths: number[], gaps: number[]): void {
  const slots = columns.flat();
  if (!room || !slots.length) return;
  const height = Math.max(...slots.map((slot) => slot.y + slot.height)) - Math.min(...slots.map((slot) => slot.y)) + 80;
  const scale = Math.min(1, room.height / height);
  const sum = (several: number[]): number => several.reduce((total, each) => total + each, 0);
  const spare = room.width / scale - 100 - sum(widths) - sum(gaps);
  if (scale === 1 || spare <= 0) return;
  const wider = Math.min(WIDEST_CARD, 1 + (0.4 * spare) / sum(widths));
  const left = spare - (wider - 1) * sum(widths);
  const more = gaps.length > 1 ? left / (gaps.length - 1) : 0;
  widths.forEach((width, column) => (widths[column] = Math.round(width * wider)));
  gaps.forEach((gap, column) => column && (gaps[column] = Math.round(Math.min(Math.max(gap, WIDEST_GAP), gap + more))));
}

/** The layers' left and right borders. */
function bandsOf(nodes: Node[], at: Placed["at"], widths: Record<number, number>): Placed["bands"] {
  const found = new Map<number, [number, number]>();
  for (const { id, layer } of nodes) {
    if (layer === undefined) continue;
    const known = found.get(layer) ?? [Infinity, -Infinity];
    found.set(layer, [Math.min(known[0], at[id]!.x), Math.max(known[1], at[id]!.x + widths[id]!)]);
  }
  return [...found].sort((a, b) => a[0] - b[0]).map(([layer, [left, right]]) => ({ layer, left, right }));
}
