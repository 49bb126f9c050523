// The panel on the right: what there is to say about a column, a table or an edge, and what could not be done.

import type { Chain, Ledger, RawFinding } from "./data.ts";
import { h, redraw, rove } from "./dom.ts";
import { excerpt, said, titledLines } from "./excerpt.ts";
import { markdown } from "./markdown.ts";
import { EFFECTS, effectsOf, near, tableEffects, type Affected, type Effect } from "./effects.ts";
import { compared, CONSUMERS, type ColumnId, type DatasetId, type EdgeId, type Lineage, type Place, type Reach, type Usage } from "./lineage.ts";
import { short } from "./shape.ts";
import { rewrittenOf } from "./sides.ts";
import { CHANGES, type State, type Store } from "./state.ts";
import { counted, kindWord, thousands, titled } from "./words.ts";

const MOST = 200;
const FEW = 12;
/** Widths of the panel in px; heights below the picture. */
const [NARROWEST, USUAL, WIDEST] = [160, 340, 720];

export class Panel {
  private inner = h("div", { class: "inner" });
  private handle = h("div", { class: "handle", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "width of the details", "aria-valuemin": NARROWEST, "aria-valuemax": WIDEST, "aria-valuenow": USUAL });
  readonly element = h("aside", { class: "panel", "aria-label": "Details" }, this.handle, this.inner);

  constructor(
    private lineage: Lineage,
    private store: Store,
  ) {
    this.handle.addEventListener("pointerdown", (event) => this.handle.setPointerCapture(event.pointerId));
    this.handle.addEventListener("pointermove", (event) => {
      if (event.buttons) this.resize(this.isBelow() ? this.element.getBoundingClientRect().bottom - event.clientY : innerWidth - event.clientX);
    });
    this.handle.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: 24, ArrowUp: 24, ArrowRight: -24, ArrowDown: -24 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.resize((this.isBelow() ? this.element.offsetHeight : this.element.offsetWidth) + by);
    });
  }

  /** On a narrow screen the panel is below the picture. */
  private isBelow(): boolean {
    return matchMedia("(max-width: 900px)").matches;
  }

  private resize(size: number): void {
    const wanted = Math.round(Math.max(NARROWEST, Math.min(WIDEST, size)));
    this.element.style.setProperty(this.isBelow() ? "--panel-height" : "--panel", `${wanted}px`);
    this.handle.setAttribute("aria-valuenow", String(wanted));
  }

  draw(state: State): void {
    const tab = (name: State["tab"], label: string): HTMLElement =>
      h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "tab-body", tabindex: state.tab === name ? 0 : -1, "aria-selected": String(state.tab === name), click: () => this.store.set({ tab: name }) }, label);
    const tabs = h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "Panels" },
      tab("details", "Details"),
      tab("diagnostics", `Diagnostics ${this.lineage.raw.diagnostics.length}`),
      tab("coverage", "Coverage"),
    );
    const close = h("button", { type: "button", class: "close", "data-action": "close", "aria-label": "close the details", title: "close the details (p)" }, "×");
    const body = h("div", { class: "body", id: "tab-body", role: "tabpanel", tabindex: 0, "aria-labelledby": `tab-${state.tab}` }, this.content(state));
    const top = this.inner.querySelector(".body")?.scrollTop ?? 0;
    rove(tabs, "[role=tab]");
    redraw(this.inner, h("div", { class: "panel-top" }, tabs, close), body);
    const about = [state.mode, state.tab, state.edge, state.column, state.dataset].join();
    if (this.drawn === about) body.scrollTop = top;
    this.drawn = about;
    const mark = body.querySelector<HTMLElement>(".excerpt mark");
    const source = mark?.closest<HTMLElement>(".excerpt");
    if (mark && source) source.scrollTop = mark.offsetTop - source.clientHeight / 3;
  }

  /** What the panel was about when it was drawn last. */
  private drawn = "";

  private content(state: State): (HTMLElement | null)[] {
    if (state.tab === "diagnostics") return this.diagnostics();
    if (state.tab === "coverage") return this.coverage();
    if (state.edge !== null) return this.edge(state.edge);
    if (state.mode === "diff" && state.column === null && state.dataset === null) return this.diff();
    if (state.mode === "diff" && state.column === null && state.dataset !== null) return [...this.findingsOf(state.dataset), ...this.dataset(state.dataset)];
    if (state.mode === "impact" && state.column !== null) return this.impact(state, state.column);
    if (state.mode === "impact" && state.dataset !== null) return this.tableImpact(state, state.dataset);
    if (state.mode === "impact") return this.howToAsk();
    if (state.column !== null) return this.column(state.column);
    if (state.dataset !== null) return this.dataset(state.dataset);
    return this.nothing();
  }

  private nothing(): HTMLElement[] {
    return [
      h("h2", {}, this.lineage.raw.title),
      h("p", {}, this.lineage.sizes()),
      h("p", { class: "quiet" }, "Click a box to open it, a table for its columns, a column to pin its path, a line for how it was made. Press / to search, ? for keys."),
      ...this.begins("Sources", (dataset) => !this.lineage.tablesInto(dataset, true).length),
      ...this.begins("Ends", (dataset) => !this.lineage.tablesOutOf(dataset, true).length),
    ];
  }

  /** Tables to begin with. */
  private begins(title: string, wanted: (dataset: DatasetId) => boolean): HTMLElement[] {
    const found = Array.from({ length: this.lineage.datasetCount }, (_, id) => id).filter(wanted);
    if (!found.length) return [];
    const rest = found.length - FEW;
    return [
      h("h3", {}, `${title} ${found.length}`),
      h("ul", { class: "ends" }, ...found.slice(0, FEW).map((dataset) => h("li", {}, this.toDataset(dataset))), rest > 0 ? h("li", { class: "quiet" }, `… and ${rest} more: 3 lists everything`) : null),
    ];
  }

  // -- a column ----------------------------------------------------------------------------------

  private column(column: ColumnId): (HTMLElement | null)[] {
    const { lineage } = this;
    const dataset = lineage.datasetOf[column]!;
    const type = lineage.type(column);
    return [
      h("p", { class: "crumb" }, this.toDataset(dataset)),
      h("h2", { title: titled(lineage.fullName(column)) }, short(lineage.columnName(column), 200)),
      h("dl", {}, ...this.fact("type", type), ...this.classification(column)),
      this.description(column),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", "data-action": "impact" }, "Impact of a change"),
        h("button", { type: "button", "data-action": "focus" }, "Only its path"),
        h("button", { type: "button", "data-action": "strip" }, "Path with SQL"),
      ),
      ...this.list("Comes from", [...lineage.before(column)], (edge) => lineage.sourcePath(edge)),
      ...this.list("Goes to", [...lineage.after(column)], (edge) => lineage.targetPath(edge)),
      ...this.decides(column),
    ];
  }

  private fact(name: string, value: string): HTMLElement[] {
    return value ? [h("dt", {}, name), h("dd", {}, short(value, 200))] : [];
  }

  private classification(column: ColumnId): HTMLElement[] {
    const labels = this.lineage.labels(column);
    if (!labels.length) return [];
    const declared = this.lineage.labelsDeclared(column);
    return [
      h("dt", {}, "classification"),
      ...labels.map((label) => h("dd", { class: "classification" }, h("span", { class: "badge label" }, short(label, 40)), ...(declared ? [" declared here"] : this.brought(column, label)))),
    ];
  }

  /** pii ← raw_customers.email via stg_customers.email */
  private brought(column: ColumnId, label: string): (HTMLElement | string)[] {
    const [origin, ...via] = this.lineage.labelPath(column, label).slice(0, -1);
    if (origin === undefined) return [" brought from upstream"];
    const links = via.flatMap((each) => [", ", this.toColumn(each)]).slice(1);
    return [" ← ", this.toColumn(origin), ...(links.length ? [" via ", ...links] : [])];
  }

  private toColumn(column: ColumnId): HTMLElement {
    const name = this.lineage.fullName(column);
    return h("button", { type: "button", class: "link", "data-pin": column, title: titled(name) }, short(name, 60));
  }

  private description(column: ColumnId): HTMLElement {
    const { lineage } = this;
    const text = lineage.description(column);
    const plain = [...lineage.edgesInto(column)].filter((edge) => lineage.edgeKind(edge) !== "transform");
    const statuses = [...new Set(plain.map((edge) => lineage.status(edge)).filter(Boolean))];
    const status = statuses.length ? h("span", { class: `badge status ${statuses[0]}` }, statuses.join(", ")) : null;
    const upstream = plain.map((edge) => lineage.description(lineage.source(edge))).find((other) => other && other !== text);
    return h(
      "section",
      { class: "description" },
      text ? markdown(text) : h("p", { class: "quiet" }, "no description"),
      status,
      upstream && text ? h("p", { class: "quiet" }, `upstream says: ${titled(upstream)}`) : null,
    );
  }

  private list(title: string, edges: [EdgeId, ColumnId][], field: (edge: EdgeId) => string): HTMLElement[] {
    if (!edges.length) return [h("h3", {}, title), h("p", { class: "quiet" }, "nothing")];
    const { lineage } = this;
    const items = edges.slice(0, MOST).map(([edge, end]) =>
      h(
        "li",
        {},
        h("button", { type: "button", class: `kind-mark ${lineage.edgeKind(edge)}`, "data-open-edge": edge, title: "how it was made" }, lineage.edgeKind(edge)),
        h("button", { type: "button", class: "link", "data-pin": end, title: titled(lineage.fullName(end)) }, short(lineage.fullName(end) + dotted(field(edge)), 60)),
      ),
    );
    const rest = edges.length - items.length;
    return [h("h3", {}, `${title} ${edges.length}`), h("ul", { class: "ends" }, ...items, rest > 0 ? h("li", { class: "quiet" }, `… and ${rest} more`) : null)];
  }

  private decides(column: ColumnId): HTMLElement[] {
    const edges = [...this.lineage.decidedBy(column)];
    if (!edges.length) return [];
    const items = edges.slice(0, MOST).map((edge) =>
      h(
        "li",
        {},
        h("button", { type: "button", class: "kind-mark inspect", "data-open-edge": edge }, clausesOf(this.lineage.usages(edge))),
        this.toDataset(this.lineage.intoDataset(edge)),
      ),
    );
    return [h("h3", {}, `Decides the rows of ${edges.length}`), h("ul", { class: "ends" }, ...items)];
  }

  private toDataset(dataset: DatasetId): HTMLElement {
    const name = this.lineage.name(dataset);
    return h("button", { type: "button", class: "link", "data-table-link": dataset, title: titled(name) }, short(name, 60));
  }

  // -- a table -----------------------------------------------------------------------------------

  private dataset(dataset: DatasetId): (HTMLElement | null)[] {
    const { lineage } = this;
    const place = lineage.datasetPlace(dataset);
    const withRows = true;
    const tables = (title: string, several: DatasetId[]): HTMLElement[] => [
      h("h3", {}, `${title} ${several.length}`),
      several.length ? h("ul", { class: "ends" }, ...several.slice(0, MOST).map((other) => h("li", {}, this.toDataset(other)))) : h("p", { class: "quiet" }, "nothing"),
    ];
    const columns = lineage.columns(dataset).slice(0, MOST * 5);
    return [
      h("p", { class: "crumb quiet" }, [kindWord(lineage.kind(dataset)), lineage.namespace(dataset)].filter(Boolean).join(" · ")),
      h("h2", { title: titled(lineage.name(dataset)) }, short(lineage.name(dataset), 200)),
      lineage.about(dataset) ? markdown(lineage.about(dataset)) : null,
      lineage.tags(dataset).length ? h("p", {}, ...lineage.tags(dataset).map((tag) => h("span", { class: "badge" }, short(tag, 40)))) : null,
      ...this.diagnosticsIn(dataset),
      place ? h("p", { class: "place" }, said(place)) : null,
      ...lineage.jobs(dataset).map((job) => h("p", { class: "quiet job", title: titled(job) }, `Job ${short(job, 80)}`)),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", "data-action": "impact" }, "Impact of a change"),
        h("button", { type: "button", "data-action": "focus" }, "Neighbors"),
        h("button", { type: "button", "data-action": "alone" }, "Only this"),
      ),
      ...tables("Made from", lineage.tablesInto(dataset, withRows)),
      ...tables("Read by", lineage.tablesOutOf(dataset, withRows)),
      h("h3", {}, counted(lineage.columnCountOf(dataset), "column")),
      h("ul", { class: "ends" }, ...columns.map((column) => h("li", {}, h("button", { type: "button", class: "link", "data-pin": column }, short(lineage.columnName(column), 60)), h("span", { class: "type" }, short(lineage.type(column), 24))))),
      place ? this.excerpt(place) : null,
    ];
  }

  // -- an edge -----------------------------------------------------------------------------------

  private edge(edge: EdgeId): (HTMLElement | null)[] {
    const { lineage } = this;
    const source = lineage.fullName(lineage.source(edge)) + dotted(lineage.sourcePath(edge));
    const target = lineage.isField(edge) ? lineage.fullName(lineage.target(edge)) + dotted(lineage.targetPath(edge)) : lineage.name(lineage.intoDataset(edge));
    const kind = lineage.edgeKind(edge);
    const usages = lineage.usages(edge);
    const place = usages.find((usage) => usage.place)?.place ?? null;
    const status = lineage.status(edge);
    return [
      h("p", { class: "crumb" }, h("span", { class: `kind-mark ${kind}` }, kind)),
      h("h2", { title: titled(`${source} → ${target}`) }, short(source, 90), h("span", { class: "arrow", "aria-label": "to" }, " → "), short(target, 90)),
      h("dl", {}, ...this.fact("confidence", lineage.level(edge).toLowerCase() + reasonOf(usages)), ...this.fact("masked", lineage.masked(edge) ? "yes: the value cannot be read from the target" : ""), ...this.fact("description", status)),
      ...usages.map((usage) => this.usage(usage)),
      place ? this.excerpt(place) : null,
    ];
  }

  private usage(usage: Usage): HTMLElement {
    return h(
      "section",
      { class: "usage" },
      h("p", {}, h("strong", {}, usage.how), ` in ${usage.clause}`, usage.masked ? h("span", { class: "badge" }, "masked") : null, usage.ambiguous ? h("span", { class: "badge" }, "ambiguous") : null),
      usage.expression ? h("pre", { tabindex: 0 }, h("code", {}, titledLines(usage.expression))) : null,
      usage.place ? h("p", { class: "place" }, said(usage.place)) : null,
    );
  }

  /** The source around a place, with the line marked. */
  private excerpt(place: Place): HTMLElement | null {
    if (this.lineage.raw.texts[place.file] === undefined) return null;
    return h("section", {}, h("h3", {}, "Source"), excerpt(this.lineage, place));
  }

  // -- impact ------------------------------------------------------------------------------------

  private impact(state: State, column: ColumnId): (HTMLElement | null)[] {
    const { lineage } = this;
    const { columns: found, broken } = effectsOf(lineage, column, state.change);
    const shown = (state.unfolded ? found : found.filter((each) => near(each) || each.effect === "breaks")).slice(0, state.unfolded ? MOST * 5 : MOST);
    const folded = found.length - shown.length;
    const groups = new Map<Effect, Affected[]>();
    for (const each of shown) groups.set(each.effect, [...(groups.get(each.effect) ?? []), each]);
    return [
      h("p", { class: "crumb" }, "impact of a change"),
      h("h2", { title: titled(lineage.fullName(column)) }, short(lineage.fullName(column), 120)),
      h("p", {}, "When ", this.changeSelect(CHANGES, state.change), ` it reaches ${counted(found.length, "column")} in ${counted(new Set(found.map((each) => lineage.datasetOf[each.column])).size, "table")}.`),
      ...this.consumersOf([...lineage.namedBy(column).keys(), ...new Set(found.map((each) => lineage.datasetOf[each.column]!))].filter((each, index, all) => all.indexOf(each) === index)),
      ...(broken.length ? [h("h3", {}, `${counted(broken.length, "statement")} that name${broken.length === 1 ? "s" : ""} it`), h("ul", { class: "broken" }, ...broken.slice(0, MOST).map((each) => h("li", {}, this.toDataset(each.dataset), h("p", { class: "quiet" }, titled(each.why)), each.place ? h("p", { class: "place" }, said(each.place)) : null)))] : []),
      ...[...groups].flatMap(([effect, several]) => [
        h("h3", {}, `${EFFECT_WORDS[effect]} ${several.length}`),
        h("ol", { class: "impacts", "data-effect": effect }, ...several.map((each) => this.impacted(each))),
      ]),
      folded ? h("button", { type: "button", class: "fold", "data-action": "unfold" }, counted(folded, "more column") + (state.unfolded || shown.length === MOST ? "" : " that are far and only referenced")) : null,
    ];
  }

  private changeSelect(changes: readonly State["change"][], now: State["change"]): HTMLElement {
    const select = h(
      "select",
      { "aria-label": "kind of change", change: () => this.store.go({ change: select.value as State["change"] }) },
      ...changes.map((change) => h("option", { value: change, selected: change === now }, CHANGE_WORDS[change])),
    );
    return select;
  }

  /** What to do when nothing is picked. */
  private howToAsk(): HTMLElement[] {
    return [
      h("h2", {}, "Impact of a change"),
      h("p", {}, "Pick the column or the table that you want to change:"),
      h("ul", {}, h("li", {}, "click it in the map, or a table first and then one of its columns;"), h("li", {}, "or press / and type its name.")),
      h("p", {}, "Then choose what happens to it. The list names the columns that break, that are not rebuilt and that get other values, the worst first."),
    ];
  }

  /** A table that goes, or has other rows: the tables behind it by distance, its consumers by kind. */
  private tableImpact(state: State, dataset: DatasetId): (HTMLElement | null)[] {
    const { lineage } = this;
    const change = state.change === "drop" ? "drop" : "values";
    const effects = tableEffects(lineage, dataset, change);
    const reach = lineage.tableReach(dataset);
    const far = (each: DatasetId): Reach => reach.get(each) ?? { why: "referenced", depth: 1 };
    const reached = [...effects.keys()].map((each): [DatasetId, Reach] => [each, far(each)]).sort((a, b) => a[1].depth - b[1].depth || compared(lineage.name(a[0]), lineage.name(b[0])));
    const tables = reached.filter(([each]) => !CONSUMERS.has(lineage.kind(each)));
    const groups = EFFECTS.map((effect): [Effect, [DatasetId, Reach][]] => [effect, tables.filter(([each]) => effects.get(each) === effect)]).filter(([, several]) => several.length);
    const item = ([each, { why, depth }]: [DatasetId, Reach]): HTMLElement => h("li", { "data-name": lineage.name(each) }, h("span", { class: "why", "data-why": why, title: why }, why), this.toDataset(each), h("span", { class: "quiet hops", title: counted(depth, "hop") }, String(depth)));
    return [
      h("p", { class: "crumb" }, "impact of a change"),
      h("h2", { title: titled(lineage.name(dataset)) }, short(lineage.name(dataset), 120)),
      h("p", {}, "When ", this.changeSelect(["values", "drop"], change), ` it reaches ${counted(tables.length, "table")}. Pick one of its columns for another name or type.`),
      ...this.consumersOf(reached.map(([each]) => each)),
      ...groups.flatMap(([effect, several]) => [
        h("h3", {}, `${EFFECT_WORDS[effect]} ${several.length}`),
        h("ol", { class: "impacts", "data-effect": effect }, ...several.slice(0, MOST * 2).map(item)),
        several.length > MOST * 2 ? h("p", { class: "quiet" }, `… and ${counted(several.length - MOST * 2, "more table")}`) : null,
      ]),
    ];
  }

  /** Tests that fail, metrics that change: whoever reads columns besides models, by kind. */
  private consumersOf(datasets: DatasetId[]): HTMLElement[] {
    const groups = new Map<string, DatasetId[]>();
    for (const dataset of datasets) {
      const kind = this.lineage.kind(dataset);
      if (CONSUMERS.has(kind)) groups.set(kind, [...(groups.get(kind) ?? []), dataset]);
    }
    const order = Object.keys(CONSUMER_WORDS);
    return [...groups].sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0])).flatMap(([kind, several]) => [
      h("h3", { class: "consumers" }, `${CONSUMER_WORDS[kind] ?? "Consumers that are affected"} ${several.length}`),
      h("ul", { class: "ends" }, ...several.slice(0, MOST).map((each) => h("li", {}, this.toDataset(each)))),
    ]);
  }

  private diagnosticsIn(dataset: DatasetId): HTMLElement[] {
    const found = this.lineage.diagnosticsOf(dataset);
    if (!found.length) return [];
    const items = found.slice(0, FEW).map((each) => h("li", {}, h("span", { class: `severity ${this.lineage.raw.diagnostics[each]!.severity}` }, this.lineage.raw.diagnostics[each]!.severity), ` ${titled(this.lineage.raw.diagnostics[each]!.message)}`));
    return [h("h3", {}, counted(found.length, "diagnostic")), h("ul", { class: "diagnostics" }, ...items)];
  }

  /** One line: why, which column, how far. */
  private impacted(each: Affected): HTMLElement {
    const name = this.lineage.fullName(each.column);
    return h(
      "li",
      { "data-name": name },
      h("span", { class: "why", "data-why": each.why, title: each.why }, each.why),
      h("button", { type: "button", class: "link", "data-show": each.column, title: titled(name) }, short(name, 120)),
      h("span", { class: "quiet hops", title: counted(each.depth, "hop") }, String(each.depth)),
    );
  }

  // -- what has changed --------------------------------------------------------------------------

  private diff(): HTMLElement[] {
    const { diff } = this.lineage.raw;
    if (!diff) return [h("p", { class: "quiet" }, "Nothing is compared: lineal show --diff BASE")];
    const count = (mark: string): number => diff.columns.filter(([, each]) => each === mark).length;
    const items = diff.findings.map((finding) => this.finding(finding));
    return [
      h("h2", {}, items.length ? counted(items.length, "finding") : "Nothing has changed"),
      h("p", {}, ...(["added", "changed", "removed"] as const).map((mark) => h("span", { class: "why", "data-why": mark }, `${count(mark)} ${mark}`))),
      h("ul", { class: "diagnostics" }, ...items),
    ];
  }

  /** The findings about one dataset, and the way back to all of them. */
  private findingsOf(dataset: DatasetId): HTMLElement[] {
    const found = this.lineage.raw.diff?.findings.filter((finding) => this.lineage.dataset(finding.dataset) === dataset) ?? [];
    const back = h("button", { type: "button", class: "link", "data-action": "findings" }, "‹ All findings");
    return [h("p", { class: "crumb" }, back), ...(found.length ? [h("ul", { class: "diagnostics" }, ...found.map((finding) => this.finding(finding)))] : [])];
  }

  /** A verdict, the dataset, what changed in it, and the way to its SQL. */
  private finding(finding: RawFinding): HTMLElement {
    const dataset = this.lineage.dataset(finding.dataset);
    const sql = dataset !== undefined && rewrittenOf(this.lineage, finding.dataset) !== null;
    const rest = finding.follows.length - FEW;
    return h(
      "li",
      {},
      h("p", {}, h("span", { class: `level ${finding.level}` }, finding.level), " ", dataset === undefined ? short(finding.dataset, 60) : this.toDataset(dataset)),
      ...finding.details.slice(0, 40).map((detail) => h("p", { class: "detail" }, titled(detailWords(detail)))),
      finding.details.length > 40 ? h("p", { class: "quiet" }, `… and ${finding.details.length - 40} more`) : null,
      finding.follows.length ? h("p", { class: "quiet" }, `Changes with it: ${finding.follows.slice(0, FEW).map(titled).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`) : null,
      sql ? h("button", { type: "button", class: "fold", "data-table-link": dataset }, "SQL before and after") : null,
    );
  }

  // -- what could not be done --------------------------------------------------------------------

  private diagnostics(): HTMLElement[] {
    const found = this.lineage.raw.diagnostics;
    if (!found.length) return [h("h2", {}, "Diagnostics"), h("p", { class: "quiet" }, "Everything was understood.")];
    const items = found.slice(0, MOST * 5).map((each) => {
      const place = this.lineage.place(...each.place);
      return h(
        "li",
        {},
        h("p", {}, h("span", { class: `severity ${each.severity}` }, each.severity), ` ${each.code}`),
        h("p", {}, titled(each.message)),
        each.hint ? h("p", { class: "quiet" }, titled(each.hint)) : null,
        place ? h("p", { class: "place" }, said(place)) : null,
      );
    });
    return [h("h2", {}, "Diagnostics"), h("ul", { class: "diagnostics" }, ...items)];
  }

  private coverage(): HTMLElement[] {
    const { percent, files, statements, columns } = this.lineage.raw.coverage;
    const meter = h("meter", { min: 0, max: 100, value: percent ?? 0, "aria-label": "coverage" });
    return [
      h("h2", {}, "Coverage"),
      h("p", { class: "share" }, percent === null ? "none" : `${percent} %`),
      percent === null ? h("p", {}, "No file is due, so there is no percentage.") : meter,
      ...this.chain("Files", { found: files.found, due: files.due, read: files.read, rendered: files.rendered }, files),
      ...this.chain("Statements", { found: statements.found, parsed: statements.parsed, evaluated: statements.evaluated }, statements),
      ...this.chain("Columns", { named: columns.named, resolved: columns.resolved }, columns),
    ];
  }

  /** The numbers of a chain, and why each is lower than the one before it. */
  private chain(title: string, numbers: Record<string, number>, chain: Chain): HTMLElement[] {
    const facts = Object.entries(numbers).flatMap(([stage, count]) => this.fact(stage, thousands(count)));
    const losses = chain.left_out.map((loss) => {
      const examples = loss.examples ?? [];
      const more = examples.length && loss.count > examples.length ? ", …" : "";
      return h(
        "li",
        {},
        h("p", {}, `not ${loss.stage}: ${thousands(loss.count)} ${loss.reason}`),
        examples.length ? h("p", { class: "place" }, examples.join(", ") + more) : null,
      );
    });
    return [h("h3", {}, title), h("dl", {}, ...facts), ...(losses.length ? [h("ul", { class: "losses" }, ...losses)] : [])];
  }
}

/** "2 of 9 files and 1 of 14 statements were not read"; null if all of them were. */
export function unread(ledger: Ledger): string | null {
  const { files, statements } = ledger;
  const parts = [
    { lost: files.due - files.rendered, whole: files.due, unit: "file" },
    { lost: statements.found - statements.evaluated, whole: statements.found, unit: "statement" },
  ].filter((part) => part.lost > 0);
  if (!parts.length) return null;
  const words = parts.map((part) => `${thousands(part.lost)} of ${counted(part.whole, part.unit)}`);
  return `${words.join(" and ")} ${parts.length === 1 && parts[0]!.lost === 1 ? "was" : "were"} not read`;
}

/** "column email removed (VARCHAR)". */
function detailWords([kind, dataset, column, before, after]: RawFinding["details"][number]): string {
  const words = Object.hasOwn(DETAIL_WORDS, kind) ? DETAIL_WORDS[kind]! : kind.replaceAll("-", " ");
  const typed = (type: string): string => (type ? ` (${type})` : "");
  const change = before || after ? `: ${before || "nothing"} → ${after || "nothing"}` : "";
  if (kind.endsWith("-added") && kind !== "errors-added") return `${words} ${column || dataset}${typed(after)}`;
  if (kind.endsWith("-removed")) return `${words} ${column || dataset}${typed(before)}`;
  if (kind === "errors-added") return `${words}: ${after}`;
  return `${words}${column && kind !== "column-renamed" ? ` ${column}` : ""}${change}`;
}

const DETAIL_WORDS: Record<string, string> = {
  "column-added": "new column",
  "column-removed": "removed column",
  "column-renamed": "renamed column",
  "columns-reordered": "other order of columns",
  "type-changed": "other type of",
  "value-changed": "other value of",
  "rows-changed": "other rows",
  "logic-changed": "other logic, same columns read",
  "dataset-added": "new table",
  "dataset-removed": "removed table",
  "dataset-renamed": "renamed table",
  "description-changed": "other description",
  "classification-changed": "other classification of",
  "errors-added": "new errors",
};

const CHANGE_WORDS: Record<State["change"], string> = { values: "its values change", drop: "it is dropped", rename: "it is renamed", type: "its type changes" };

const CONSUMER_WORDS: Record<string, string> = {
  test: "Tests that may fail",
  unit_test: "Unit tests that may fail",
  metric: "Metrics that change",
  semantic_model: "Semantic models that change",
  saved_query: "Saved queries that change",
  exposure: "Exposures that change",
  dashboard: "Dashboards that change",
};

const EFFECT_WORDS: Record<Effect, string> = {
  breaks: "Breaks",
  disappears: "Disappears",
  renamed: "Renamed along",
  type: "Another type",
  "maybe-type": "Perhaps another type",
  stale: "Not rebuilt",
  values: "Other values or rows",
};

function reasonOf(usages: Usage[]): string {
  const evidence = [...new Set(usages.map((usage) => usage.evidence).filter(Boolean))];
  return evidence.length ? `: ${evidence.join("; ")}` : "";
}

function clausesOf(usages: Usage[]): string {
  return [...new Set(usages.map((usage) => usage.clause))].join(", ");
}

function dotted(path: string): string {
  return path ? `.${path}` : "";
}
