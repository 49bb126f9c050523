// Ctrl-K or /: search tables, columns and descriptions, with the keyboard alone.

import { clear, h } from "./dom.ts";
import type { Hit, Search } from "./search.ts";
import { short } from "./shape.ts";
import { titled } from "./words.ts";

export class Palette {
  private input = h("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "hits",
    "aria-label": "Search tables, columns and descriptions",
    placeholder: "Search tables, columns, descriptions",
    autocomplete: "off",
    spellcheck: "false",
  });
  private list = h("ul", { id: "hits", role: "listbox", "aria-label": "Found" });
  private count = h("div", { class: "spoken", role: "status" });
  readonly element = h("dialog", { class: "palette", "aria-label": "Search" }, this.input, this.list, this.count);
  private hits: Hit[] = [];
  private at = 0;

  constructor(
    private search: () => Search,
    private choose: (hit: Hit, inImpact: boolean) => void,
  ) {
    this.input.addEventListener("input", () => this.find());
    this.element.addEventListener("close", () => this.input.blur());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.element.close();
      const item = (event.target as Element).closest<HTMLElement>("[data-hit]");
      if (item) this.take(Number(item.dataset["hit"]), event.shiftKey);
    });
  }

  open(): void {
    if (!this.element.open) this.element.showModal();
    this.input.select();
    this.find();
  }

  private find(): void {
    this.hits = this.search().find(this.input.value);
    this.at = 0;
    this.draw();
  }

  private draw(): void {
    this.count.textContent = this.input.value ? `${this.hits.length} found` : "";
    if (!this.hits.length) {
      clear(this.list, h("li", { class: "quiet none", role: "option", "aria-selected": "false" }, this.input.value ? "nothing found" : "type a part of a name"));
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    clear(
      this.list,
      this.hits.map((hit, index) =>
        h(
          "li",
          { id: `hit-${index}`, role: "option", "data-hit": index, "aria-selected": String(index === this.at), title: titled(hit.name) },
          h("span", { class: "hit-kind" }, hit.kind === "dataset" ? "table" : "column"),
          h("span", { class: "hit-name" }, short(hit.name, 80)),
          hit.about ? h("span", { class: "quiet hit-about" }, short(hit.about, 70)) : null,
        ),
      ),
    );
    this.input.setAttribute("aria-activedescendant", `hit-${this.at}`);
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      this.at = Math.max(0, Math.min(this.hits.length - 1, this.at + step));
      this.draw();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.take(this.at, event.shiftKey);
    }
  }

  private take(index: number, inImpact: boolean): void {
    const hit = this.hits[index];
    if (!hit) return;
    this.element.close();
    this.choose(hit, inImpact);
  }
}
