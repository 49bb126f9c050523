// The elements of things: a table's card with its columns, and a box that holds several tables.

import { clear, h } from "./dom.ts";
import { icon } from "./icons.ts";
import type { ColumnId, DatasetId, Lineage } from "./lineage.ts";
import type { Columns } from "./rows.ts";
import type { Thing } from "./scene.ts";
import { badgesOf, kindLine, ROW, short, type Box } from "./shape.ts";
import { counted, parted, thousands, titled } from "./words.ts";

export function boxCard(thing: Thing): HTMLElement {
  const count = boxCount(thing);
  return h(
    "article",
    { class: "card box", "data-what": thing.what },
    h(
      "button",
      { class: "head", type: "button", "data-open": thing.key, title: `${titled(thing.name)}: ${count}. Click to open.`, "aria-expanded": "false" },
      icon("box"),
      h("span", { class: "name" }, short(thing.name)),
      h("span", { class: "kind" }, count),
    ),
    farName(thing.name, thing.what === "range" ? "" : "box", thousands(thing.count)),
  );
}

/** What a box says besides its name. */
export function boxCount(thing: Thing): string {
  if (thing.what === "fold") return "with the same neighbors";
  return counted(thing.count, thing.what === "layer" && thing.name === "Consumers" ? "consumer" : "table");
}

/** What a card says from afar: of a name that does not fit the schema is cut first. */
function farName(name: string, kind: string, count = "", alarm: HTMLElement | null = null): HTMLElement {
  const shown = short(name);
  const [schema, own] = count ? ["", shown] : parted(shown);
  return h(
    "span",
    { class: "far-name", "aria-hidden": "true" },
    kind ? icon(kind) : null,
    schema ? h("span", { class: "far-schema" }, schema) : null,
    h("span", { class: "far-own" }, own),
    count ? h("span", { class: "far-count" }, count) : null,
    alarm,
  );
}

export class Cards {
  constructor(
    private lineage: Lineage,
    /** The lines of a card are to be drawn again. */
    private moved: (dataset: DatasetId) => void,
  ) {}

  table(dataset: DatasetId, box: Box, columns: Columns): HTMLElement {
    const { lineage } = this;
    const name = lineage.name(dataset);
    const head = h(
      "button",
      { class: "head", type: "button", title: titled(name), "data-table": dataset },
      icon(lineage.kind(dataset)),
      h("span", { class: "name" }, short(name)),
      this.warning(dataset),
      h("span", { class: "kind" }, kindLine(lineage, dataset)),
    );
    const card = h("article", { class: "card", "data-dataset": dataset, "data-kind": lineage.kind(dataset) }, head, farName(name, lineage.kind(dataset), "", this.warning(dataset)));
    if (box.rows) card.append(...this.rows(dataset, box, columns));
    if (columns.rest > 0) card.append(h("button", { class: "rest", type: "button", "data-wide": dataset, title: `show all ${lineage.columnCountOf(dataset)} columns` }, `+${columns.rest}`));
    if (box.foot) card.append(h("div", { class: "foot" }));
    return card;
  }

  /** A mark on a dataset with diagnostics. */
  private warning(dataset: DatasetId): HTMLElement | null {
    const found = this.lineage.diagnosticsOf(dataset);
    if (!found.length) return null;
    const worst = found.some((each) => this.lineage.raw.diagnostics[each]!.severity === "error") ? "error" : "warning";
    const said = `${counted(found.length, "diagnostic")}: ${titled(this.lineage.raw.diagnostics[found[0]!]!.message)}`;
    return h("span", { class: `alarm ${worst}`, role: "img", title: said, "aria-label": said }, "!");
  }

  private rows(dataset: DatasetId, box: Box, columns: Columns): HTMLElement[] {
    const list = h("ul", { class: "rows", tabindex: box.scrolls ? 0 : null, "aria-label": `columns of ${titled(this.lineage.name(dataset))}` });
    list.append(...columns.list.map((column) => this.row(column)));
    list.style.height = `${box.rows * ROW}px`;
    list.addEventListener("scroll", () => this.moved(dataset));
    return box.scrolls ? [this.finder(dataset, list, columns.list), list] : [list];
  }

  private row(column: ColumnId): HTMLElement {
    const { lineage } = this;
    const name = lineage.columnName(column);
    const type = lineage.type(column);
    const labels = badgesOf(lineage, column).map((label) => h("span", { class: "badge label" }, label));
    return h(
      "li",
      {},
      h(
        "button",
        { class: "row", type: "button", "data-column": column, title: titled(lineage.description(column) ? `${name}: ${lineage.description(column)}` : name) },
        h("span", { class: "column-name" }, short(name)),
        ...this.doubts(column),
        ...labels,
        type ? h("span", { class: "type", title: titled(type) }, short(type, 16)) : null,
      ),
    );
  }

  /** A dot for what the edges into a column make one look at. */
  private doubts(column: ColumnId): HTMLElement[] {
    const { lineage } = this;
    const found = new Map<string, string>();
    for (const edge of lineage.edgesInto(column)) {
      if (lineage.ambiguous(edge)) found.set("ambiguous", "ambiguous: several sources may be meant");
      const level = lineage.level(edge);
      if (level === "LOW") found.set("low", "low confidence");
      if (level === "UNKNOWN") found.set("dynamic", "dynamic: known only when it runs");
      const kind = lineage.edgeKind(edge);
      if (lineage.status(edge) === "modified" && kind !== "transform") found.set("drift", "its description differs from upstream's");
    }
    return [...found].map(([name, said]) => h("span", { class: `dot ${name}`, title: said, role: "img", "aria-label": said }));
  }

  /** The search inside of a wide table. */
  private finder(dataset: DatasetId, list: HTMLElement, columns: ColumnId[]): HTMLElement {
    const input = h("input", {
      class: "find",
      type: "search",
      placeholder: `find in ${columns.length} columns`,
      "aria-label": `find a column of ${titled(this.lineage.name(dataset))}`,
      input: () => {
        const wanted = input.value.toLowerCase();
        [...list.children].forEach((item, index) => {
          (item as HTMLElement).hidden = wanted !== "" && !this.lineage.columnName(columns[index]!).toLowerCase().includes(wanted);
        });
        list.scrollTop = 0;
        this.moved(dataset);
      },
    });
    return h("div", { class: "finder" }, input);
  }

  /** ‹ 3 of 7 … 2 of 4 ›: how many neighbors are shown on either side. */
  foot(card: HTMLElement, dataset: DatasetId, rows: boolean, isShown: (other: DatasetId) => boolean): void {
    const side = (up: boolean): HTMLElement => {
      const all = up ? this.lineage.tablesInto(dataset, rows) : this.lineage.tablesOutOf(dataset, rows);
      if (!all.length) return h("span", { class: "end" }, up ? "source" : "end");
      const seen = all.filter(isShown).length;
      const rest = all.length - seen;
      const text = rest === 0 ? `${all.length}` : `${seen} of ${all.length}`;
      const where = up ? "upstream" : "downstream";
      const said = rest ? `show ${rest} more of ${all.length} tables ${where}` : `all ${all.length} tables ${where} are shown`;
      return h("button", { class: `expand ${up ? "up" : "down"}`, type: "button", disabled: rest === 0, title: said, [up ? "data-up" : "data-down"]: dataset }, up ? `‹ ${text}` : `${text} ›`);
    };
    const foot = card.querySelector(".foot");
    if (foot) clear(foot, side(true), side(false));
  }
}
