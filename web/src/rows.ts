// Which columns the cards show: none at table level, but those of what is selected, the ones on its path first.

import type { ColumnId, DatasetId, Lineage } from "./lineage.ts";
import type { State } from "./state.ts";

/** A card shows so many columns of a path; the others are counted. */
const MOST_ON_PATH = 8;

export interface Columns {
  list: ColumnId[];
  /** How many columns the dataset has besides. */
  rest: number;
}

const NONE: Columns = { list: [], rest: 0 };

export class Rows {
  private wanted: Map<DatasetId, ColumnId[]>;

  constructor(
    private lineage: Lineage,
    private state: State,
    datasets: ReadonlySet<DatasetId>,
  ) {
    this.wanted = new Map();
    if (state.tableLevel) for (const column of this.marked()) this.want(column, datasets);
  }

  of(dataset: DatasetId): Columns {
    const { lineage, state } = this;
    const path = this.wanted.get(dataset) ?? [];
    const selected = dataset === state.wide || (dataset === state.dataset && state.column === null && state.edge === null);
    if (!state.tableLevel) return { list: lineage.columns(dataset), rest: 0 };
    if (selected) {
      const first = new Set(path);
      return { list: [...path, ...lineage.columns(dataset).filter((column) => !first.has(column))], rest: 0 };
    }
    if (!path.length) return NONE;
    const list = path.slice(0, MOST_ON_PATH);
    return { list, rest: lineage.columnCountOf(dataset) - list.length };
  }

  private want(column: ColumnId, datasets: ReadonlySet<DatasetId>): void {
    const dataset = this.lineage.datasetOf[column]!;
    if (!datasets.has(dataset)) return;
    const known = this.wanted.get(dataset);
    if (known) known.push(column);
    else this.wanted.set(dataset, [column]);
  }

  /** The columns of the path, the impact, the edge or the comparison. */
  private marked(): Set<ColumnId> {
    const { lineage, state } = this;
    const { column, edge } = state;
    if (column !== null && state.mode === "impact") return new Set([column, ...lineage.reach(column).keys()]);
    if (column !== null) return new Set([column, ...lineage.path(column).columns]);
    if (edge !== null) return new Set(this.ends(edge));
    const { diff } = lineage.raw;
    if (state.mode !== "diff" || !diff) return new Set();
    return new Set([...diff.columns.map(([each]) => each), ...diff.edges.flatMap(([each]) => this.ends(each))]);
  }

  private ends(edge: number): ColumnId[] {
    const source = this.lineage.source(edge);
    return this.lineage.isField(edge) ? [source, this.lineage.target(edge)] : [source];
  }
}
