// Which things a state shows: tables, and boxes that hold several of them. A picture has at most so many things, whatever
// there is: what would be more is folded into boxes, and the page asks which way.

import { add, Forest, FOLDED, neighborhoods, type By, type Tree } from "./forest.ts";
import { layering, type Layering } from "./layers.ts";
import { near } from "./effects.ts";
import { FIELDS, ROWS, type ColumnId, type DatasetId, type Lineage } from "./lineage.ts";
import { Facets, touched } from "./query.ts";
import { capSteps, ranksOf } from "./ranks.ts";
import type { State } from "./state.ts";

/** At most so many things are on the screen. */
export const LIMIT = 150;
/** A map begins with no more things than this, so that it can be read at a glance. */
const GLANCE = 90;
const TALLEST = 18;
/** On a narrow screen a map begins with its layers. */
const NARROW_GLANCE = 4;

export interface Thing extends Tree {
  /** A dataset's number, or one beyond them for a box. */
  id: number;
}

export interface Bond {
  from: number;
  to: number;
  /** The marks of all links that it stands for. */
  marks: number;
  count: number;
}

export interface Layer {
  name: string;
  key: string;
  count: number;
  /** Whether it is shown as what it holds; a layer of one table always is. */
  open: boolean;
}

/** More tables than a picture holds: how many there are, and how they are shown now. */
export interface Ask {
  count: number;
  fold: "layer" | "folder" | "near";
}

export interface Scene {
  things: Thing[];
  bonds: Bond[];
  /** The thing that shows a dataset. */
  holder: Map<DatasetId, number>;
  /** Columns of things, named; none where things stand by their neighbors alone. */
  layers: Layer[];
  ask: Ask | null;
  /** The keys of boxes that are open now, whether somebody opened them or not. */
  open: Set<string>;
  /** How many datasets the filters leave. */
  matching: number;
}

export class Scenes {
  readonly layers: Layering;
  readonly facets: Facets;
  private numbers = new Map<string, number>();
  private forests = new Map<string, Forest>();
  private boxes = new Map<number, Tree>();

  constructor(private lineage: Lineage) {
    this.layers = layering(lineage);
    this.facets = new Facets(lineage, this.layers);
  }

  /** The box of a number. */
  box(id: number): Tree | undefined {
    return this.boxes.get(id);
  }

  of(state: State, narrow: boolean): Scene {
    const matches = this.matching(state.query);
    if (isMap(state, this.lineage)) return this.map(state, matches, narrow);
    const all = this.around(state);
    const kept = new Map([...all].filter(([dataset, steps]) => steps === 0 || matches.has(dataset)));
    return this.focus(state, kept, matches.size, narrow);
  }

  private matched: { query: string; found: Set<DatasetId> } | null = null;

  /** The datasets that the words of a query leave. */
  matching(query: string): Set<DatasetId> {
    if (this.matched?.query !== query) {
      const matches = this.facets.matcher(query);
      const found = new Set<DatasetId>();
      for (let dataset = 0; dataset < this.lineage.datasetCount; dataset++) if (matches(dataset)) found.add(dataset);
      this.matched = { query, found };
    }
    return this.matched.found;
  }

  // -- the map -----------------------------------------------------------------------------------

  private map(state: State, matches: Set<DatasetId>, narrow: boolean): Scene {
    const key = `map ${state.query}`;
    if (!this.forests.has(key)) {
      this.forests.clear();
      this.forests.set(key, new Forest(this.lineage, this.layers, matches, "layer"));
    }
    return this.shown(this.forests.get(key)!, state, matches.size, narrow, null);
  }

  private shown(forest: Forest, state: State, matching: number, narrow: boolean, ask: Ask | null): Scene {
    const wanted = state.open ?? this.opened(forest, state, narrow);
    const open = new Set<string>();
    const trees: Tree[] = [];
    const visit = (tree: Tree): void => {
      if (tree.what === "table") trees.push(tree);
      else if (tree.count === 1 || wanted.has(tree.key)) {
        open.add(tree.key);
        tree.children.forEach(visit);
      } else trees.push(tree);
    };
    forest.layers.forEach(visit);
    const layers = forest.layers.map((tree): Layer => ({ name: tree.name, key: tree.key, count: tree.count, open: open.has(tree.key) }));
    return this.scene(trees, layers, { open, matching, ask }, state);
  }

  /** Opens the smallest boxes first, as long as the picture can be read. */
  private opened(forest: Forest, state: State, narrow: boolean): Set<string> {
    const open = new Set<string>();
    const most = narrow ? Math.max(NARROW_GLANCE, forest.layers.length) : GLANCE;
    let things: Tree[] = [...forest.layers];
    const tried = new Set<string>();
    for (;;) {
      const next = things.filter((tree) => isOpening(tree) && !tried.has(tree.key)).sort((a, b) => a.children.length - b.children.length || a.layer - b.layer)[0];
      if (!next) return open;
      tried.add(next.key);
      const ahead = things.flatMap((tree) => (tree === next ? tree.children : [tree]));
      if (ahead.length > most || !this.fits(ahead, state)) continue;
      open.add(next.key);
      things = ahead;
    }
  }

  /** Whether no column is too high; what is not decided by counting is laid out. */
  private fits(trees: Tree[], state: State): boolean {
    const counts = new Map<number, number>();
    for (const { layer } of trees) counts.set(layer, (counts.get(layer) ?? 0) + 1);
    const highest = Math.max(...counts.values());
    if (highest <= TALLEST) return true;
    if (highest > 3 * TALLEST) return false;
    const { things, bonds } = this.scene(trees, [], { open: new Set(), matching: 0, ask: null }, state);
    const layers = new Map(things.map((thing) => [thing.id, thing.layer]));
    const ranks = ranksOf(things.map((thing) => thing.id), bonds.map(({ from, to }) => [from, to]), (id) => layers.get(id)!);
    const last = new Map<number, number>();
    for (const { id, layer } of things) last.set(layer, Math.max(last.get(layer) ?? 0, ranks.get(id)!));
    capSteps(last);
    const heights = new Map<string, number>();
    for (const { id, layer } of things) {
      const column = `${layer}.${Math.min(ranks.get(id)!, last.get(layer)!)}`;
      heights.set(column, (heights.get(column) ?? 0) + 1);
    }
    return Math.max(...heights.values()) <= TALLEST;
  }

  // -- around something --------------------------------------------------------------------------

  private focus(state: State, all: Map<DatasetId, number>, matching: number, narrow: boolean): Scene {
    const trees = this.folded(state, all);
    if (trees.length <= LIMIT) return this.scene(trees, [], { open: new Set(state.open), matching, ask: null }, state);
    const fold = state.fold ?? "layer";
    const ask = { count: all.size, fold };
    if (fold === "near") {
      const nearest = [...all].sort((a, b) => a[1] - b[1]).slice(0, LIMIT);
      return this.scene(nearest.map(([dataset]) => this.table(dataset)), [], { open: new Set(), matching, ask }, state);
    }
    return this.shown(new Forest(this.lineage, this.layers, all.keys(), fold as By), state, matching, narrow, ask);
  }

  private table(dataset: DatasetId): Tree {
    return { key: "", name: this.lineage.name(dataset), what: "table", children: [], count: 1, dataset, layer: 0 };
  }

  /** Of siblings with the same neighbors one box, except for what is selected. */
  private folded(state: State, all: Map<DatasetId, number>): Tree[] {
    const set = new Set(all.keys());
    const siblings = new Map<string, DatasetId[]>();
    for (const [dataset, text] of neighborhoods(this.lineage, set)) {
      const alone = dataset === state.dataset || all.get(dataset) === 0;
      add(siblings, alone ? `alone ${dataset}` : text, dataset);
    }
    const forest = new Forest(this.lineage, this.layers, [], "layer");
    const found: Tree[] = [];
    for (const several of siblings.values()) {
      const fold = several.length < FOLDED ? null : forest.fold("", 0, several);
      if (!fold) found.push(...several.map((dataset) => this.table(dataset)));
      else if (state.open?.has(fold.key)) found.push(...this.leaves(fold, state.open));
      else found.push(fold);
    }
    return found;
  }

  private leaves(tree: Tree, open: ReadonlySet<string>): Tree[] {
    if (tree.what === "table" || !open.has(tree.key)) return [tree];
    return tree.children.flatMap((child) => this.leaves(child, open));
  }

  /** The datasets of a state, each with how many steps it is away from where the state begins. */
  around(state: State): Map<DatasetId, number> {
    const { lineage } = this;
    if (state.mode === "impact" && state.column !== null) return this.reached(state, state.column);
    if (state.mode === "impact" && state.dataset !== null) return this.walked(new Map([[state.dataset, 0]]), state.dataset, false, Infinity, true);
    if (state.mode === "diff") return new Map([...touched(lineage)].map((dataset) => [dataset, 0]));
    const found = new Map<DatasetId, number>();
    if (state.path !== null) {
      this.traced(found, state.path, true, state.up, state.inspect);
      this.traced(found, state.path, false, state.down, state.inspect);
    } else if (state.root !== null) {
      found.set(state.root, 0);
      this.walked(found, state.root, true, state.up, state.inspect);
      this.walked(found, state.root, false, state.down, state.inspect);
    }
    for (const [dataset, side] of state.more) this.walked(found, dataset, side === "up", 1, state.inspect);
    return found;
  }

  private reached(state: State, column: ColumnId): Map<DatasetId, number> {
    const { lineage } = this;
    const found = new Map<DatasetId, number>([[lineage.datasetOf[column]!, 0]]);
    for (const each of lineage.impact(column)) {
      const dataset = lineage.datasetOf[each.column]!;
      if ((state.unfolded || near(each)) && !found.has(dataset)) found.set(dataset, each.depth);
    }
    for (const dataset of lineage.namedBy(column).keys()) if (!found.has(dataset)) found.set(dataset, 1);
    return found;
  }

  private walked(found: Map<DatasetId, number>, start: DatasetId, up: boolean, depth: number, rows: boolean): Map<DatasetId, number> {
    const { lineage } = this;
    const met = new Set([start]);
    let border = [start];
    for (let steps = 1; steps <= depth && border.length; steps++) {
      const ahead: DatasetId[] = [];
      for (const dataset of border) {
        for (const other of up ? lineage.tablesInto(dataset, rows) : lineage.tablesOutOf(dataset, rows)) {
          if (met.has(other)) continue;
          met.add(other);
          ahead.push(other);
          if (!found.has(other)) found.set(other, steps);
        }
      }
      border = ahead;
    }
    return found;
  }

  /** Along a column's path, as many tables far as asked. */
  private traced(found: Map<DatasetId, number>, start: ColumnId, up: boolean, depth: number, rows: boolean): void {
    const { lineage } = this;
    const met = new Set([start]);
    let border = [start];
    found.set(lineage.datasetOf[start]!, 0);
    for (let steps = 1; steps <= depth && border.length; steps++) {
      const ahead: ColumnId[] = [];
      const reach = (dataset: DatasetId): void => void (found.has(dataset) || found.set(dataset, steps));
      for (const column of border) {
        for (const [, other] of up ? lineage.before(column) : lineage.after(column)) {
          if (met.has(other)) continue;
          met.add(other);
          ahead.push(other);
          reach(lineage.datasetOf[other]!);
        }
        if (rows && !up) for (const edge of lineage.decidedBy(column)) reach(lineage.intoDataset(edge));
      }
      border = ahead;
    }
  }

  // -- things and what is between them -------------------------------------------------------------

  private scene(trees: Tree[], layers: Layer[], rest: Pick<Scene, "open" | "matching" | "ask">, state: State): Scene {
    const holder = new Map<DatasetId, number>();
    const things = trees.map((tree): Thing => {
      const id = tree.what === "table" ? tree.dataset : this.number(tree);
      hold(tree, id, holder);
      return { ...tree, id };
    });
    return { things, bonds: this.bonds(holder, state), holder, layers, ...rest };
  }

  private number(tree: Tree): number {
    let number = this.numbers.get(tree.key);
    if (number === undefined) this.numbers.set(tree.key, (number = this.lineage.datasetCount + this.numbers.size));
    this.boxes.set(number, tree);
    return number;
  }

  private bonds(holder: Map<DatasetId, number>, state: State): Bond[] {
    const { lineage } = this;
    const bonds = new Map<number, Bond>();
    const drawn = marksOf(state);
    const most = lineage.datasetCount + this.numbers.size + 1;
    for (const [dataset, from] of holder) {
      for (const link of lineage.linksOf(dataset, false)) {
        const [, target, marks] = lineage.link(link);
        const to = holder.get(target);
        if (to === undefined || to === from || !lineage.isDrawn(link, withRows(state))) continue;
        if (marks & (FIELDS | ROWS) && !(marks & drawn)) continue;
        const bond = bonds.get(from * most + to);
        if (bond) {
          bond.marks |= marks;
          bond.count++;
        } else bonds.set(from * most + to, { from, to, marks, count: 1 });
      }
    }
    return [...bonds.values()];
  }
}

/** Whether a box says more when it is open: ranges of names do not. */
function isOpening(tree: Tree): boolean {
  const plain = tree.what === "layer" || tree.what === "group";
  return plain && !tree.children.some((child) => child.what === "range");
}

function hold(tree: Tree, id: number, holder: Map<DatasetId, number>): void {
  if (tree.what === "table") holder.set(tree.dataset, id);
  for (const child of tree.children) hold(child, id, holder);
}

/** Whether a state shows the whole project, not what is around something. */
export function isMap(state: State, lineage: Lineage): boolean {
  if (state.mode === "impact") return state.column === null && state.dataset === null;
  if (state.mode === "diff") return !lineage.raw.diff;
  return state.root === null && state.path === null;
}

/** Whether the lines that decide rows are drawn. */
export function withRows(state: State): boolean {
  return state.inspect || state.mode === "impact";
}

/** The marks of links whose kinds are not hidden. */
export function marksOf(state: State): number {
  let marks = 0;
  ["copy", "rename", "transform", "inspect"].forEach((kind, bit) => {
    if (!state.hidden.has(kind)) marks |= 1 << bit;
  });
  return withRows(state) ? marks : marks & ~ROWS;
}
