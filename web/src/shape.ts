// The sizes of cards, and where a column's row stands in one.

import { CONSUMERS, type ColumnId, type DatasetId, type Lineage } from "./lineage.ts";
import type { Columns } from "./rows.ts";
import { counted, kindWord, titled } from "./words.ts";

export const ROW = 24;
export const HEAD = 44;
export const BOX = 52;
export const FOOT = 28;
export const FIND = 30;
export const MOST_ROWS = 10;
export const NARROWEST = 132;
export const WIDEST = 380;
export const LONGEST = 48;

export interface Shape {
  width: number;
  height: number;
  /** How many rows are to be seen; 0 at table level. */
  rows: number;
  /** Whether the card has more columns than rows, and so a search of its own. */
  scrolls: boolean;
  /** Whether it says how many neighbors are shown. */
  foot: boolean;
}

export interface Box extends Shape {
  x: number;
  y: number;
}

/** A name that is too long for a card loses its middle, so that what is shown is never cut off by its box. */
export function short(name: string, most = LONGEST): string {
  const said = titled(name.length > 4 * most ? `${name.slice(0, 2 * most)}${name.slice(-2 * most)}` : name);
  const letters = [...said];
  if (letters.length <= most) return said;
  const half = Math.floor((most - 1) / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}

export type Measure = (text: string, bold: boolean) => number;

export function measure(): Measure {
  const context = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  const known = new Map<string, number>();
  return (text, bold) => {
    const key = (bold ? "b" : "n") + text;
    let width = known.get(key);
    if (width === undefined) {
      if (context) context.font = `${bold ? "600 " : ""}13px ${family}`;
      known.set(key, (width = context ? context.measureText(text).width : text.length * 8));
    }
    return width;
  };
}

/** The size of a table's card. */
export function shapeOf(lineage: Lineage, dataset: DatasetId, columns: Columns, foot: boolean, widthOf: Measure): Shape {
  const count = columns.list.length;
  const rows = Math.min(count, MOST_ROWS);
  const scrolls = count > MOST_ROWS;
  let width = Math.max(NARROWEST, widthOf(short(lineage.name(dataset)), true) + 80, widthOf(kindLine(lineage, dataset), false) + 52);
  for (const column of columns.list.slice(0, 400)) {
    const type = short(lineage.type(column), 16);
    const marks = badgesOf(lineage, column).reduce((sum, badge) => sum + widthOf(badge, false) + 14, 0);
    width = Math.max(width, widthOf(short(lineage.columnName(column)), false) + (type ? widthOf(type, false) + 14 : 0) + marks + 62 + Math.ceil(0.08 * widthOf(short(lineage.columnName(column)), false)));
  }
  const rest = columns.rest > 0 ? ROW : 0;
  const height = HEAD + (scrolls ? FIND : 0) + rows * ROW + rest + (foot ? FOOT : 0);
  return { width: Math.min(Math.ceil(width), WIDEST * 2), height, rows, scrolls, foot };
}

/** What a card says below the name of its table. */
export function kindLine(lineage: Lineage, dataset: DatasetId): string {
  const kind = short(kindWord(lineage.kind(dataset)), 20);
  const count = lineage.columnCountOf(dataset);
  return !count && CONSUMERS.has(lineage.kind(dataset)) ? kind : `${kind} · ${counted(count, "column")}`;
}

/** The size of a box that holds several tables. */
export function boxShape(name: string, count: string, widthOf: Measure): Shape {
  const width = Math.max(NARROWEST, widthOf(short(name), true) + 58, widthOf(count, false) + 62);
  return { width: Math.ceil(width), height: BOX, rows: 0, scrolls: false, foot: false };
}

/** What a column's row shows beside its name. */
export function badgesOf(lineage: Lineage, column: ColumnId): string[] {
  return lineage.labels(column).slice(0, 2).map((label) => short(label, 14));
}

/** The height at which a column's edges begin and end; what is scrolled away is met at the border of its card. */
export function rowAt(box: Box, index: number, scrolled: number): number {
  if (!box.rows) return box.y + HEAD / 2;
  const top = box.y + HEAD + (box.scrolls ? FIND : 0);
  const at = top + index * ROW + ROW / 2 - scrolled;
  return Math.max(top, Math.min(at, top + box.rows * ROW));
}
