// Everything as a list: for the keyboard, for screen readers, and for whoever would rather read.

import { clear, h } from "./dom.ts";
import type { DatasetId, Lineage } from "./lineage.ts";
import { scored } from "./search.ts";
import { short } from "./shape.ts";
import { counted, kindWord, titled } from "./words.ts";

const PAGE = 100;

export class ListView {
  private filter = h("input", { type: "search", placeholder: "filter tables", "aria-label": "Filter tables" });
  private body = h("div", { class: "list-body" });
  private more = h("button", { type: "button", class: "more" }, "more");
  private count = h("p", { class: "quiet", role: "status" });
  readonly element = h("section", { class: "list", "aria-label": "All tables and columns", tabindex: -1 }, h("div", { class: "list-head" }, this.filter, this.count), this.body, this.more);
  private found: DatasetId[] = [];
  private drawn = 0;

  constructor(private lineage: Lineage) {
    this.filter.addEventListener("input", () => this.draw());
    this.more.addEventListener("click", () => this.page());
  }

  draw(): void {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = Array.from({ length: this.lineage.datasetCount }, (_, id) => id).filter((id) => !words.length || scored(words, this.lineage.name(id).toLowerCase()) > 0);
    this.count.textContent = counted(this.found.length, this.lineage.noun);
    this.drawn = 0;
    clear(this.body);
    this.page();
  }

  private page(): void {
    const next = this.found.slice(this.drawn, this.drawn + PAGE);
    this.drawn += next.length;
    this.body.append(...next.map((dataset) => this.table(dataset)));
    this.more.hidden = this.drawn >= this.found.length;
  }

  private table(dataset: DatasetId): HTMLElement {
    const { lineage } = this;
    const details = h(
      "details",
      { toggle: () => details.open && details.childElementCount === 1 && details.append(this.columns(dataset)) },
      h("summary", { title: titled(lineage.name(dataset)) }, short(lineage.name(dataset), 100), h("span", { class: "quiet" }, ` ${kindWord(lineage.kind(dataset))}, ${counted(lineage.columnCountOf(dataset), "column")}`)),
    );
    return details;
  }

  private columns(dataset: DatasetId): HTMLElement {
    const { lineage } = this;
    const rows = lineage.columns(dataset).map((column) => {
      const sources = [...new Set([...lineage.edgesInto(column)].map((edge) => lineage.source(edge)))];
      const targets = [...new Set([...lineage.edgesOutOf(column)].map((edge) => lineage.target(edge)))];
      const ends = (several: number[]): HTMLElement =>
        h("td", {}, ...several.slice(0, 12).map((end) => h("button", { type: "button", class: "link", "data-show": end, title: titled(lineage.fullName(end)) }, short(lineage.fullName(end), 50))), several.length > 12 ? `… ${several.length - 12} more` : null);
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, h("button", { type: "button", class: "link", "data-show": column }, short(lineage.columnName(column), 60))),
        h("td", {}, short(lineage.type(column), 40)),
        h("td", {}, short(lineage.description(column), 120)),
        ends(sources),
        ends(targets),
      );
    });
    return h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...["column", "type", "description", "comes from", "goes to"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows),
    );
  }
}
