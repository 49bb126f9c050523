// The strip above the picture: what it is around, how far it goes, what is left out, and what is to be decided.

import { h, redraw } from "./dom.ts";
import type { Lineage } from "./lineage.ts";
import { isMap, LIMIT, type Scene } from "./scene.ts";
import { short } from "./shape.ts";
import { DEEPEST, type Fold, type State, type Store } from "./state.ts";
import { counted, titled } from "./words.ts";

/** Something that only the user can decide. */
export interface Question {
  text: string;
  answers: { label: string; action: () => void }[];
}

const FOLDS: Record<Fold, string> = { layer: "By layer", folder: "By schema or folder", near: `Nearest ${LIMIT}` };

export class Scope {
  readonly element = h("div", { class: "scope", role: "group", "aria-label": "What is shown" });

  constructor(
    private lineage: Lineage,
    private store: Store,
    private toMap: () => void,
  ) {}

  draw(state: State, scene: Scene, question: Question | null): void {
    const parts = [...this.about(state), ...this.filter(state), ...this.ask(state, scene), ...this.asked(question)];
    this.element.hidden = !parts.length || state.mode === "list";
    redraw(this.element, ...parts);
  }

  private about(state: State): HTMLElement[] {
    if (isMap(state, this.lineage)) return this.summary(state);
    const map = h("button", { type: "button", class: "to-map", click: () => this.toMap() }, "‹ Map");
    if (state.mode !== "graph") return [map];
    const name = state.path === null ? this.lineage.name(state.root!) : this.lineage.fullName(state.path);
    const word = state.path === null ? "Around " : "Path of ";
    return [map, h("span", { class: "scope-name", title: titled(name) }, word, h("strong", {}, short(name, 44))), this.depth("up", "Upstream", state.up), this.depth("down", "Downstream", state.down)];
  }

  /** What the project is, in a line; what to do is in the panel of impact. */
  private summary(state: State): HTMLElement[] {
    const { lineage } = this;
    const hint = state.mode === "impact" ? "Pick the table or column that changes." : "Click a box to open it, a table for its columns.";
    return [h("span", { class: "scope-name" }, h("strong", { title: titled(lineage.raw.title) }, short(lineage.raw.title, 44)), ` ${lineage.sizes()}`), lineage.datasetCount ? h("span", { class: "quiet hint" }, hint) : h("span", {})];
  }

  private depth(side: "up" | "down", label: string, depth: number): HTMLElement {
    const step = (sign: string, by: number, said: string): HTMLElement =>
      h("button", { type: "button", "aria-label": `${said} ${label.toLowerCase()}`, title: `${said} ${label.toLowerCase()}`, disabled: depth + by < 0 || depth + by > DEEPEST, click: () => this.store.go({ [side]: depth + by, fold: null, open: null }) }, sign);
    return h("span", { class: "depth", role: "group", "aria-label": `${label} depth` }, h("span", {}, label), step("−", -1, "one step less"), h("output", { "aria-live": "polite" }, String(depth)), step("+", 1, "one step more"));
  }

  private filter(state: State): HTMLElement[] {
    if (!state.query) return [];
    return [h("span", { class: "scope-filter" }, "Filter ", h("code", { title: titled(state.query) }, short(state.query, 40)), h("button", { type: "button", "aria-label": "remove the filter", click: () => this.store.go({ query: "", open: null }) }, "×"))];
  }

  /** More than a picture holds: which way shall it be folded? */
  private ask(state: State, scene: Scene): HTMLElement[] {
    if (!scene.ask) return [];
    const { count, fold } = scene.ask;
    const answers = (Object.keys(FOLDS) as Fold[]).map((each) => h("button", { type: "button", "data-fold": each, "aria-pressed": String(each === fold), click: () => this.store.go({ fold: each, open: null }) }, FOLDS[each]));
    return [h("span", { class: "ask", role: "group", "aria-label": "Fold" }, h("strong", {}, `${counted(count, this.lineage.noun)}: more than ${LIMIT}.`), state.fold ? " Folded:" : " Fold them:", ...answers)];
  }

  private asked(question: Question | null): HTMLElement[] {
    if (!question) return [];
    return [h("span", { class: "ask", role: "alertdialog", "aria-label": "Question" }, h("strong", {}, question.text), ...question.answers.map(({ label, action }) => h("button", { type: "button", click: action }, label)))];
  }
}
