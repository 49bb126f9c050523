// The path of one column, from its sources to the column and on to what is made of it: each hop with its SQL, the
// expression marked, the description and what became of it, and the calls that made it.

import { clear, h } from "./dom.ts";
import { excerpt, said } from "./excerpt.ts";
import type { ColumnId, EdgeId, Lineage } from "./lineage.ts";
import { short } from "./shape.ts";
import { counted, titled } from "./words.ts";

/** A path of more hops is cut: the nearest ones are shown. */
const MOST = 60;
const AROUND = 2;

export interface Hop {
  edge: EdgeId;
  /** Steps from the column: negative upstream. */
  step: number;
}

/** The hops of a column's path from the farthest source to the farthest target. */
export function hopsOf(lineage: Lineage, column: ColumnId): Hop[] {
  return [...walk(lineage, column, true).reverse(), ...walk(lineage, column, false)];
}

function walk(lineage: Lineage, start: ColumnId, up: boolean): Hop[] {
  const found = new Map<EdgeId, Hop>();
  const met = new Set([start]);
  let border = [start];
  for (let step = 1; border.length && found.size < MOST; step++) {
    const ahead: ColumnId[] = [];
    for (const column of border) {
      for (const [edge, other] of up ? lineage.before(column) : lineage.after(column)) {
        if (!found.has(edge)) found.set(edge, { edge, step: up ? -step : step });
        if (met.has(other)) continue;
        met.add(other);
        ahead.push(other);
      }
    }
    border = ahead;
  }
  return [...found.values()];
}

export class Strip {
  readonly element = h("section", { class: "hops-view", "aria-label": "Path of a column", tabindex: 0 });

  constructor(private lineage: Lineage) {}

  draw(column: ColumnId | null): void {
    if (column === null) {
      clear(this.element, h("h2", {}, "Path of a column"), h("p", {}, "Pick a column: search for it with /, or click it in the map. Its path is shown here from source to target, with the SQL of each hop."));
      return;
    }
    const hops = hopsOf(this.lineage, column);
    const copy = h("button", { type: "button", "data-action": "copy-path" }, "Copy as Markdown");
    clear(
      this.element,
      h("h2", { title: titled(this.lineage.fullName(column)) }, "Path of ", short(this.lineage.fullName(column), 90)),
      h("div", { class: "actions" }, copy, h("button", { type: "button", "data-action": "focus" }, "Show it as a graph"), h("button", { type: "button", "data-action": "impact" }, "Impact of a change")),
      hops.length ? h("ol", { class: "hops-list" }, ...hops.map((hop) => this.hop(hop, column))) : h("p", { class: "quiet" }, "No column feeds it, and it feeds no column."),
      hops.length >= MOST ? h("p", { class: "quiet" }, `Cut after ${counted(hops.length, "hop")}.`) : null,
    );
  }

  private hop({ edge, step }: Hop, column: ColumnId): HTMLElement {
    const { lineage } = this;
    const [source, target] = [lineage.source(edge), lineage.target(edge)];
    const usages = lineage.usages(edge);
    const first = usages.find((usage) => usage.place) ?? usages[0];
    const calls = [...new Set(usages.map((usage) => usage.transform).filter((each) => each && each !== "direct"))];
    const status = lineage.status(edge);
    const text = lineage.description(target);
    const name = (end: ColumnId): HTMLElement => h("button", { type: "button", class: `link${end === column ? " own" : ""}`, "data-pin": end, title: titled(lineage.fullName(end)) }, short(lineage.fullName(end), 60));
    return h(
      "li",
      { class: "hop", "data-kind": lineage.edgeKind(edge), "data-step": step },
      h("p", { class: "hop-ends" }, name(source), h("button", { type: "button", class: `kind-mark ${lineage.edgeKind(edge)}`, "data-open-edge": edge }, lineage.edgeKind(edge)), "→", name(target)),
      calls.length ? h("p", { class: "quiet" }, "made by ", h("code", {}, titled(calls.join(", ")))) : null,
      first?.place && lineage.raw.texts[first.place.file] !== undefined ? excerpt(lineage, first.place, first.expression, AROUND) : first?.expression ? h("pre", { tabindex: 0 }, h("code", {}, h("mark", {}, first.expression.split("\n").map(titled).join("\n")))) : null,
      first?.place ? h("p", { class: "place" }, said(first.place)) : null,
      text || status ? h("p", {}, titled(text), " ", status ? h("span", { class: `badge status ${status}` }, `description ${status}`) : null) : null,
    );
  }
}

/** The path as Markdown, for a pull request. */
export function pathMarkdown(lineage: Lineage, column: ColumnId): string {
  const plain = (text: string): string => titled(text).replaceAll("`", "'");
  const lines = [`**Path of \`${plain(lineage.fullName(column))}\`**`, ""];
  for (const { edge } of hopsOf(lineage, column)) {
    const usage = lineage.usages(edge).find((each) => each.place) ?? lineage.usages(edge)[0];
    const made = usage?.expression ? `: \`${plain(usage.expression)}\`` : "";
    const where = usage?.place ? ` (${plain(said(usage.place))})` : "";
    lines.push(`- \`${plain(lineage.fullName(lineage.source(edge)))}\` → \`${plain(lineage.fullName(lineage.target(edge)))}\` ${lineage.edgeKind(edge)}${made}${where}`);
  }
  return lines.join("\n") + "\n";
}
