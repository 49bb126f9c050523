"""The part of a lineage that a trace visits, found by recursive SQL; nothing else is read.

Upstream of v.x lie the edges into v.x, those into their sources, and so on; a circle ends where it
closes, for a column is visited once. Where v has an open star, v.x goes on through it as t.x,
whether or not t is known to have an x. How deep an edge lies and which stars count is the graph's
affair: a trace in this part is a trace in the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from lineal.model.collector import without_collector
from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.sequences import first_of_each, flatten
from lineal.store.lineage.database import Database, Row, chunks
from lineal.store.lineage.layout import Ranks
from lineal.store.lineage.numbers import end_of, label
from lineal.store.lineage.restore import Restored, build_edge, coverage_in
from lineal.store.lineage.rows import FACTS
from lineal.store.lineage.runs import Run
from lineal.store.lineage.texts import original, storable

FAR = 50
"""From so many hops on they are not counted while columns are looked up: each column is then
visited once.
"""

VISITED = """
WITH RECURSIVE visited (dataset_id, name, depth) AS (
    SELECT starts.*, 0 FROM ({starts}) AS starts
    UNION
    SELECT beyond.dataset_id, CASE WHEN near.name = '*' AND beyond.name = '*' THEN visited.name ELSE beyond.name END,
        visited.depth + {step}
    FROM visited CROSS JOIN columns near CROSS JOIN edges CROSS JOIN columns beyond
    WHERE visited.depth < {hops} AND near.dataset_id = visited.dataset_id AND near.name IN (visited.name, '*')
        AND edges.{near} = near.id AND {holds} AND beyond.id = edges.{beyond} AND beyond.name IS NOT NULL
        AND (near.name = visited.name OR beyond.name = '*')
)
SELECT dataset_id, name, min(depth) FROM visited GROUP BY dataset_id, name
"""

TOUCHING = """
WITH visited (dataset_id, name) AS ({names})
SELECT edges.id, edges.source_id, edges.target_id, beyond.id, beyond.dataset_id, beyond.name, beyond.path,
    near.id, near.dataset_id, near.name, near.path,
    position, way_id, file_id, line, col, expression, calls
FROM visited CROSS JOIN columns near CROSS JOIN edges CROSS JOIN columns beyond
LEFT JOIN usages ON usages.edge_id = edges.id AND {used}
WHERE near.dataset_id = visited.dataset_id AND {condition}
    AND edges.{near} = near.id AND {holds} AND beyond.id = edges.{beyond}
"""


SOURCE, TARGET = "source_id", "target_id"
OTHER = {SOURCE: TARGET, TARGET: SOURCE}
NAMED = "near.name IN (visited.name, '*')"

Node = tuple[int, str]
"""A dataset's number and the name of a column, as the store has it."""


def region(
    database: Database,
    run: Run,
    starts: Sequence[Column],
    *,
    up: int = 0,
    down: int = 0,
    with_rows: bool = False,
) -> Extraction:
    """Return the part of the graph within so many hops upstream and downstream of the columns."""
    with without_collector():
        return Region(database, run).around(starts, up, down, with_rows)


class Region(Restored):
    """Looks up only the visited columns, and only the names that these need."""

    def __init__(self, database: Database, run: Run) -> None:
        super().__init__(database, run)
        self.ends: dict[int, Sequence[Any]] = {}
        """Columns: number → dataset, name, path."""
        self.pairs: dict[int, tuple[int, int]] = {}
        """Edges: number → source and target."""
        self.usages: dict[int, dict[int, Sequence[Any]]] = {}
        """Of each edge, by position."""

    def holds(self, table: str) -> str:
        """Return the condition that a row belongs to the run."""
        run = int(self.run.number)
        return f"{table}.from_run <= {run} AND ({table}.to_run IS NULL OR {table}.to_run > {run})"

    def around(self, starts: Sequence[Column], up: int, down: int, with_rows: bool) -> Extraction:
        """Return the lineage within so many hops of some columns."""
        self.database.by_index()
        nodes = self.nodes_of(starts)
        touched: set[Node] = set(nodes)
        if up:
            above = self.visit_columns(nodes, up, TARGET)
            self.touching(_nodes_to_extend(above, up), TARGET, NAMED)
            if with_rows:
                self.touching(_nodes_to_extend(above, up), TARGET, "near.name IS NULL")

            touched.update(above)

        if down:
            below = self.visit_columns(nodes, down, SOURCE)
            self.touching(_nodes_to_extend(below, down), SOURCE, NAMED)
            self.touching(self.beside_stars(below), TARGET, NAMED)
            touched.update(below)

        return self.build_extraction(touched)

    # -- the walk ----------------------------------------------------------------------------------

    def nodes_of(self, starts: Sequence[Column]) -> list[Node]:
        """Return the nodes of some columns that the store knows."""
        numbers: dict[Dataset, int] = {}
        for dataset in dict.fromkeys(start.dataset for start in starts):
            found = self.database.rows(
                "SELECT id FROM datasets WHERE namespace_id = ? AND label = ? AND space = ? AND name = ?",
                [
                    self.run.namespace,
                    label(dataset),
                    storable(dataset.namespace),
                    storable(dataset.name),
                ],
            )
            numbers.update((dataset, number) for (number,) in found)

        nodes = (
            (numbers[start.dataset], storable(start.name))
            for start in starts
            if start.dataset in numbers
        )
        return list(dict.fromkeys(nodes))

    def visit_columns(self, nodes: list[Node], hops: int, near: str) -> dict[Node, int]:
        """The columns, and how many hops away they are, if that is counted."""
        found: dict[Node, int] = {}
        step, limit = (0, 1) if hops > FAR else (1, hops)
        for some in chunks(nodes, self.database.at_once):
            starts, values = self.database.pairs(some)
            beyond = OTHER[near]
            sql = VISITED.format(
                starts=starts,
                step=step,
                hops=limit,
                near=near,
                beyond=beyond,
                holds=self.holds("edges"),
            )
            for dataset, name, depth in self.database.rows(sql, values):
                found[dataset, name] = min(depth, found.get((dataset, name), depth))

        return found

    def touching(self, nodes: Sequence[Node], near: str, condition: str) -> None:
        """The edges that lead into the columns, or out of them, with their usages."""
        for some in chunks(nodes, self.database.at_once):
            names, values = self.database.pairs(some)
            sql = TOUCHING.format(
                names=names, near=near, beyond=OTHER[near], condition=condition,
                holds=self.holds("edges"), used=self.holds("usages"),
            )  # fmt: skip
            for row in self.database.rows(sql, values):
                self.pairs[row[0]] = (row[1], row[2])
                self.ends[row[3]], self.ends[row[7]] = row[4:7], row[8:11]
                if row[11] is not None:
                    self.usages.setdefault(row[0], {})[row[11]] = row[12:]

    def beside_stars(self, nodes: Iterable[Node]) -> list[Node]:
        """Tell whether a column goes through a star depends on what else leads into it."""
        datasets = sorted(set(first_of_each(nodes)))
        found = self.some(
            "SELECT dataset_id FROM columns WHERE name = '*' AND dataset_id", datasets
        )
        opened = {dataset for (dataset,) in found}
        return [node for node in nodes if node[0] in opened]

    # -- findings ----------------------------------------------------------------------------------

    def build_extraction(self, touched: set[Node]) -> Extraction:
        """Return the lineage of the nodes that were touched."""
        touched |= {
            (dataset, name if name is not None else "*") for dataset, name, _ in self.ends.values()
        }
        datasets = set(first_of_each(touched))
        columns = self.column_rows(touched)
        infos = self.some(
            f"SELECT id, {', '.join(FACTS['dataset_infos'])} FROM dataset_infos"
            f" WHERE {self.holds('dataset_infos')} AND dataset_id",
            datasets,
        )
        named = self.some("SELECT id, space, name FROM datasets WHERE id", datasets)
        self.datasets = {
            number: Dataset(original(space), original(name)) for number, space, name in named
        }
        usages = flatten(several.values() for several in self.usages.values())
        self.ways = self.held.ways_by_number({usage[0] for usage in usages})
        files = (
            {usage[1] for usage in usages} | {row[6] for row in columns} | {row[5] for row in infos}
        )
        known = self.some("SELECT id, name FROM files WHERE id", files - {None})
        self.files = {number: original(name) for number, name in known}
        coverage = coverage_in(self.run.coverage)
        return Extraction(self.edges(), datasets=self.infos_of(infos, columns), coverage=coverage)

    def edges(self) -> list[Edge]:
        """Return the edges that were met, in their order."""
        ends = {
            number: end_of(self.datasets[dataset], *rest)
            for number, (dataset, *rest) in self.ends.items()
        }
        found: dict[tuple[int, int], list[tuple[int, Usage]]] = {}
        for number in sorted(self.pairs, key=Ranks(self.run.layout["edges"]).position_of):
            usages = [
                (position, self.usage(*said))
                for position, said in self.usages.get(number, {}).items()
            ]
            found.setdefault(self.pairs[number], []).extend(usages)

        return [
            build_edge(ends[source], ends[target], several)
            for (source, target), several in found.items()
        ]

    def infos_of(self, rows: list[Row], listed: list[Row]) -> dict[Dataset, DatasetInfo]:
        """Return the datasets of these rows, with their columns."""
        columns: dict[int, list[ColumnInfo]] = {}
        for dataset, _, *said in sorted(listed, key=itemgetter(0, 1)):
            columns.setdefault(dataset, []).append(self.column(*said))

        rank = Ranks(self.run.layout["dataset_infos"])
        ordered = sorted(rows, key=lambda row: rank.position_of(row[0]))
        infos = (self.info(columns, *fact) for _, *fact in ordered)
        return {info.dataset: info for info in infos}

    def column_rows(self, touched: set[Node]) -> list[Row]:
        """Return the rows about the touched columns only, however wide their datasets are."""
        found: list[Row] = []
        if not self.run.layout["column_infos"]:
            return found

        names = ", ".join(f"infos.{name}" for name in FACTS["column_infos"])
        for some in chunks(sorted(touched), self.database.at_once):
            pairs, values = self.database.pairs(some)
            found += self.database.rows(
                f"WITH touched (dataset_id, name) AS ({pairs})"
                f" SELECT {names} FROM touched CROSS JOIN column_infos infos"
                f" WHERE infos.dataset_id = touched.dataset_id AND infos.name = touched.name AND {self.holds('infos')}",
                values,
            )

        return found

    def some(self, question: str, numbers: Iterable[int]) -> list[Row]:
        """Return the rows of a question about some numbers, asked in parts."""
        found: list[Row] = []
        for some in chunks(sorted(numbers), self.database.at_once):
            among, values = self.database.among(some)
            found += self.database.rows(f"{question} {among}", values)

        return found


def _nodes_to_extend(nodes: dict[Node, int], hops: int) -> list[Node]:
    """Those from which a trace goes on."""
    return [node for node, depth in nodes.items() if depth < hops]
