// The statements of a dataset before and after a change, side by side: lines that are the same stand beside each other.

import { clear, h } from "./dom.ts";
import type { Lineage } from "./lineage.ts";
import { short } from "./shape.ts";
import type { State } from "./state.ts";
import { counted, titled } from "./words.ts";

/** Two lines beside each other; -1 where a side has none. */
export interface Pair {
  left: number;
  right: number;
  same: boolean;
}

/** Beyond so many cells two texts are not compared line by line. */
const MOST_CELLS = 4_000_000;
/** Lines around a change that are shown. */
const AROUND = 3;

export class Sides {
  readonly element = h("section", { class: "sides", "aria-label": "SQL before and after", hidden: true });
  private drawn = "";

  constructor(private lineage: Lineage) {}

  draw(state: State): void {
    const name = state.mode === "diff" && state.dataset !== null ? this.lineage.name(state.dataset) : "";
    const both = rewrittenOf(this.lineage, name);
    this.element.hidden = both === null;
    if (both === null || this.drawn === name) return;
    this.drawn = name;
    const [before, after] = both.map((text) => (text ? text.split("\n") : [])) as [string[], string[]];
    const pairs = pairsOf(before, after);
    const [gone, come] = [pairs.filter((pair) => !pair.same && pair.left >= 0).length, pairs.filter((pair) => !pair.same && pair.right >= 0).length];
    const close = h("button", { type: "button", class: "close", "data-action": "findings", "aria-label": "close the SQL", title: "close the SQL (Esc)" }, "×");
    clear(
      this.element,
      h("div", { class: "sides-top" }, h("h2", { title: titled(name) }, short(name, 60)), h("p", { class: "quiet" }, `${counted(gone, "line")} removed, ${counted(come, "line")} added`), close),
      h("div", { class: "sides-scroll", tabindex: 0, role: "group", "aria-label": `SQL of ${titled(name)} before and after` }, this.table(pairs, before, after)),
    );
    this.element.querySelector(".pair.changed")?.scrollIntoView({ block: "nearest" });
  }

  private table(pairs: Pair[], before: string[], after: string[]): HTMLElement {
    const head = h("thead", {}, h("tr", {}, h("th", { scope: "col", colspan: 2 }, "Before"), h("th", { scope: "col", colspan: 2 }, "After")));
    const body = h("tbody", {});
    const row = (pair: Pair): HTMLElement => h("tr", { class: pair.same ? "pair" : "pair changed" }, ...cells(pair.left, before, pair.same ? "" : "−"), ...cells(pair.right, after, pair.same ? "" : "+"));
    for (const part of folded(pairs)) {
      if (part.shown) body.append(...part.pairs.map(row));
      else {
        const more = h("button", { type: "button", class: "link", click: () => fold.replaceWith(...part.pairs.map(row)) }, `${counted(part.pairs.length, "unchanged line")}: show`);
        const fold = h("tr", { class: "fold-row" }, h("td", { colspan: 4 }, more));
        body.append(fold);
      }
    }
    const widths = h("colgroup", {}, ...["number", "code", "number", "code"].map((name) => h("col", { class: name })));
    return h("table", { class: "sides-table" }, widths, head, body);
  }
}

function cells(line: number, lines: string[], sign: string): HTMLElement[] {
  if (line < 0) return [h("td", { class: "number none" }), h("td", { class: "code none" })];
  const mark = { "−": "removed", "+": "added", "": "same" }[sign]!;
  const spoken = sign ? h("span", { class: "spoken" }, `${mark}: `) : null;
  return [h("td", { class: `number ${mark}` }, `${line + 1} ${sign}`.trim()), h("td", { class: `code ${mark}` }, spoken, titled(lines[line]!) || " ")];
}

/** Both versions of a dataset's statements; null if they are the same or not known. */
export function rewrittenOf(lineage: Lineage, name: string): [string, string] | null {
  const all = lineage.raw.diff?.rewritten ?? {};
  return name && Object.hasOwn(all, name) ? all[name]! : null;
}

/** Runs of lines: those at a change, and those that are far from every one. */
export function folded(pairs: Pair[]): { shown: boolean; pairs: Pair[] }[] {
  const near = new Uint8Array(pairs.length);
  pairs.forEach((pair, index) => {
    if (!pair.same) near.fill(1, Math.max(0, index - AROUND), index + AROUND + 1);
  });
  const found: { shown: boolean; pairs: Pair[] }[] = [];
  pairs.forEach((pair, index) => {
    const shown = near[index] === 1;
    const last = found[found.length - 1];
    if (last && last.shown === shown) last.pairs.push(pair);
    else found.push({ shown, pairs: [pair] });
  });
  return found.map((part) => (part.pairs.length <= 2 ? { ...part, shown: true } : part));
}

/** The lines of two texts, those of the longest common part beside each other. */
export function pairsOf(before: string[], after: string[]): Pair[] {
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first++;
  let last = 0;
  while (last < before.length - first && last < after.length - first && before[before.length - 1 - last] === after[after.length - 1 - last]) last++;
  const pairs: Pair[] = [];
  for (let line = 0; line < first; line++) pairs.push({ left: line, right: line, same: true });
  pairs.push(...between(before, after, first, before.length - last, after.length - last));
  for (let back = last; back > 0; back--) pairs.push({ left: before.length - back, right: after.length - back, same: true });
  return pairs;
}

function between(before: string[], after: string[], first: number, endLeft: number, endRight: number): Pair[] {
  const [rows, columns] = [endLeft - first, endRight - first];
  if (rows * columns > MOST_CELLS) return beside(range(first, endLeft), range(first, endRight));
  const wide = columns + 1;
  const longest = new Uint32Array((rows + 1) * wide);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const at = row * wide + column;
      longest[at] = before[first + row] === after[first + column] ? longest[at + wide + 1]! + 1 : Math.max(longest[at + wide]!, longest[at + 1]!);
    }
  }
  const found: Pair[] = [];
  let [left, right]: [number[], number[]] = [[], []];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[first + row] === after[first + column]) {
      found.push(...beside(left, right), { left: first + row++, right: first + column++, same: true });
      [left, right] = [[], []];
    } else if (column >= columns || (row < rows && longest[(row + 1) * wide + column]! >= longest[row * wide + column + 1]!)) left.push(first + row++);
    else right.push(first + column++);
  }
  return [...found, ...beside(left, right)];
}

function beside(left: number[], right: number[]): Pair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => ({ left: left[index] ?? -1, right: right[index] ?? -1, same: false }));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
