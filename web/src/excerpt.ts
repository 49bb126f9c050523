// The source around a place, with the line or the expression marked.

import { h } from "./dom.ts";
import type { Lineage, Place } from "./lineage.ts";
import { titled } from "./words.ts";

export function said(place: Place): string {
  return `${titled(place.file) || "text"}:${place.line}:${place.column}`;
}

export function titledLines(text: string): string {
  return text.split("\n").map(titled).join("\n");
}

/** The lines of a file, all of them or some around a place; the expression is marked where it stands there, else the line. */
export function excerpt(lineage: Lineage, place: Place, expression = "", around = Infinity): HTMLElement {
  const lines = (lineage.raw.texts[place.file] ?? "").split("\n");
  const first = Math.max(0, place.line - 1 - around);
  const shown = lines.slice(first, place.line + around);
  const rows = shown.map((line, index) => {
    const number = first + index + 1;
    const content = number === place.line ? marked(line, expression) : [titledLines(line)];
    return h("span", { class: "line" }, h("span", { class: "number", "aria-hidden": "true" }, String(number)), ...content, "\n");
  });
  return h("pre", { class: "excerpt", tabindex: 0, "aria-label": `source of ${titled(place.file)}` }, ...rows);
}

function marked(line: string, expression: string): (HTMLElement | string)[] {
  const at = expression ? line.indexOf(expression) : -1;
  if (at < 0) return [h("mark", {}, titledLines(line) || " ")];
  return [titledLines(line.slice(0, at)), h("mark", {}, titledLines(expression)), titledLines(line.slice(at + expression.length))];
}
