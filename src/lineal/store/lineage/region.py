"""The part of a lineage that a trace visits, found by recursive SQL; nothing else is read.

Upstream of v.x lie the edges into v.x, those into their sources, and so on; a circle ends where it closes, for a column
is visited once. Where v has an open star, v.x goes on through it as t.x, whether or not t is known to have an x. How
deep an edge lies and which stars count is the graph's affair: a trace in this part is a trace in the whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.extraction import ColumnInfo, Coverage, DatasetInfo, Extraction
from lineal.store.errors import Damaged
from lineal.store.lineage.database import Database, Row, chunks, marks
from lineal.store.lineage.layout import Ranks
from lineal.store.lineage.numbers import end_of
from lineal.store.lineage.restore import Restored, made_edge
from lineal.store.lineage.rows import FACTS
from lineal.store.lineage.runs import Run
from lineal.store.lineage.texts import original, plain

FAR = 50
"""From so many hops on they are not counted while columns are looked up: each column is then visited once."""
AT_ONCE = 400
"""So many values are asked for in one question."""

VISITED = """
WITH RECURSIVE visited (dataset_id, name, depth) AS (
    VALUES {starts}
    UNION
    SELECT beyond.dataset_id, CASE WHEN near.name = '*' AND beyond.name = '*' THEN visited.name ELSE beyond.name END,
        visited.depth + {step}
    FROM visited CROSS JOIN columns near CROSS JOIN edges CROSS JOIN columns beyond
    WHERE visited.depth < {hops} AND near.dataset_id = visited.dataset_id AND near.name IN (visited.name, '*')
        AND edges.{near} = near.id AND {valid} AND beyond.id = edges.{beyond} AND beyond.name IS NOT NULL
        AND (near.name = visited.name OR beyond.name = '*')
)
SELECT DISTINCT dataset_id, name FROM visited
"""

TOUCHING = """
WITH visited (dataset_id, name) AS (VALUES {names})
SELECT edges.id, sources.dataset_id, sources.name, sources.path, targets.dataset_id, targets.name, targets.path
FROM visited CROSS JOIN columns {near} CROSS JOIN edges CROSS JOIN columns {beyond}
WHERE {near}.dataset_id = visited.dataset_id AND {condition}
    AND edges.{near_id} = {near}.id AND {valid} AND {beyond}.id = edges.{beyond_id}
"""

START = "(CAST(? AS INTEGER), CAST(? AS TEXT), 0)"
NAME = "(CAST(? AS INTEGER), CAST(? AS TEXT))"

Node = tuple[int, str]
"""A dataset's number and the name of a column, as it stands in the store."""


def region(
    database: Database, run: Run, starts: Sequence[Column], *, up: int = 0, down: int = 0, with_rows: bool = False
) -> Extraction:
    """What a trace so many hops upstream and downstream of the columns visits."""
    try:
        return Region(database, run).around(starts, up, down, with_rows)
    except (KeyError, ValueError, TypeError, IndexError) as problem:
        raise Damaged(f"store {database.name} is damaged ({type(problem).__name__}: {problem})") from problem


class Region(Restored):
    """Only what is visited is looked up, and of names only what is needed for it."""

    def __init__(self, database: Database, run: Run) -> None:
        super().__init__(database, run)
        self.valid = f"from_run <= {int(run.number)} AND (to_run IS NULL OR to_run > {int(run.number)})"
        self.found: dict[int, Sequence[Any]] = {}
        """The edges: number → dataset, name and path of both ends."""

    def around(self, starts: Sequence[Column], up: int, down: int, with_rows: bool) -> Extraction:
        self.database.by_index()
        nodes = self.nodes_of(starts)
        touched: set[Node] = set(nodes)
        if up:
            above = self.visited(nodes, up, "target_id", "source_id")
            touched |= above
            self.into(above)
            if with_rows:
                self.touching(above, "targets", "targets.name IS NULL")
        if down:
            below = self.visited(nodes, down, "source_id", "target_id")
            touched |= below
            self.touching(below, "sources", "sources.name IN (visited.name, '*')")
            self.into(self.beside_stars(below))
        return self.made(touched)

    # -- the walk -----------------------------------------------------------------------------------

    def nodes_of(self, starts: Sequence[Column]) -> list[Node]:
        numbers: dict[Dataset, int] = {}
        for dataset in dict.fromkeys(start.dataset for start in starts):
            found = self.database.rows(
                "SELECT id FROM datasets WHERE namespace_id = ? AND space = ? AND name = ?",
                [self.run.namespace, plain(dataset.namespace), plain(dataset.name)],
            )
            numbers.update((dataset, number) for (number,) in found)
        nodes = ((numbers[start.dataset], plain(start.name)) for start in starts if start.dataset in numbers)
        return list(dict.fromkeys(nodes))

    def visited(self, nodes: list[Node], hops: int, near: str, beyond: str) -> set[Node]:
        found: set[Node] = set()
        step, limit = (0, 1) if hops > FAR else (1, hops)
        for some in chunks(nodes, AT_ONCE):
            sql = VISITED.format(
                starts=", ".join([START] * len(some)), step=step, hops=limit, near=near, beyond=beyond, valid=self.valid
            )
            found.update((dataset, name) for dataset, name in self.database.rows(sql, flat(some)))
        return found

    def into(self, nodes: Iterable[Node]) -> None:
        self.touching(nodes, "targets", "targets.name IN (visited.name, '*')")

    def touching(self, nodes: Iterable[Node], near: str, condition: str) -> None:
        beyond = "sources" if near == "targets" else "targets"
        for some in chunks(list(nodes), AT_ONCE):
            sql = TOUCHING.format(
                names=", ".join([NAME] * len(some)), near=near, beyond=beyond, near_id=near[:-1] + "_id",
                beyond_id=beyond[:-1] + "_id", condition=condition, valid=self.valid,
            )  # fmt: skip
            self.found.update((number, ends) for number, *ends in self.database.rows(sql, flat(some)))

    def beside_stars(self, nodes: set[Node]) -> list[Node]:
        """Whether a column goes through a star depends on what else leads into it."""
        opened = {
            dataset
            for some in chunks(sorted({dataset for dataset, _ in nodes}), AT_ONCE)
            for (dataset,) in self.database.rows(
                f"SELECT dataset_id FROM columns WHERE name = '*' AND dataset_id IN {marks(1, len(some))}", some
            )
        }
        return [node for node in nodes if node[0] in opened]

    # -- what was found -----------------------------------------------------------------------------

    def made(self, touched: set[Node]) -> Extraction:
        for source, name, _, target, named, _ in self.found.values():
            touched |= {(source, name), (target, named or "*")}
        usages = self.some(
            f"SELECT edge_id, position, way_id, file_id, line, col, expression, calls FROM usages WHERE {self.valid}"
            " AND edge_id IN",
            self.found,
        )
        columns = self.listed(touched)
        infos = self.some(
            f"SELECT id, {', '.join(FACTS['dataset_infos'])} FROM dataset_infos WHERE {self.valid} AND dataset_id IN",
            {dataset for dataset, _ in touched},
        )
        self.datasets = {
            number: Dataset(original(space), original(name))
            for number, space, name in self.some(
                "SELECT id, space, name FROM datasets WHERE id IN", {dataset for dataset, _ in touched}
            )
        }
        self.ways = self.held.ways_by_number({row[2] for row in usages})
        files = {row[3] for row in usages} | {row[6] for row in columns} | {row[5] for row in infos}
        known = self.some("SELECT id, name FROM files WHERE id IN", files - {None})
        self.files = {number: original(name) for number, name in known}
        coverage = Coverage(**json.loads(self.run.coverage))
        return Extraction(self.edges_of(usages), datasets=self.infos_of(infos, columns), coverage=coverage)

    def edges_of(self, rows: list[Row]) -> list[Edge]:
        usages: dict[int, list[tuple[int, Usage]]] = {}
        for number, position, *said in rows:
            usages.setdefault(number, []).append((position, self.usage(*said)))
        pairs: dict[tuple[Column | Dataset, Column | Dataset], list[tuple[int, Usage]]] = {}
        for number in sorted(self.found, key=Ranks(self.run.layout["edges"]).of):
            source, name, path, target, named, way = self.found[number]
            ends = end_of(self.datasets[source], name, path), end_of(self.datasets[target], named, way)
            pairs.setdefault(ends, []).extend(usages.get(number, ()))
        return [made_edge(source, target, several) for (source, target), several in pairs.items()]

    def infos_of(self, rows: list[Row], listed: list[Row]) -> dict[Dataset, DatasetInfo]:
        columns: dict[int, list[ColumnInfo]] = {}
        for dataset, _, *said in sorted(listed, key=itemgetter(0, 1)):
            columns.setdefault(dataset, []).append(self.column(*said))
        rank = Ranks(self.run.layout["dataset_infos"])
        ordered = sorted(rows, key=lambda row: rank.of(row[0]))
        infos = (self.info(columns, *fact) for _, *fact in ordered)
        return {info.dataset: info for info in infos}

    def listed(self, touched: set[Node]) -> list[Row]:
        """What is known about the columns that are touched, of whatever dataset how wide."""
        found: list[Row] = []
        names = ", ".join(f"infos.{name}" for name in FACTS["column_infos"])
        for some in chunks(sorted(touched), AT_ONCE):
            found += self.database.rows(
                f"WITH touched (dataset_id, name) AS (VALUES {', '.join([NAME] * len(some))})"
                f" SELECT {names} FROM touched CROSS JOIN column_infos infos"
                f" WHERE infos.dataset_id = touched.dataset_id AND infos.name = touched.name AND {self.valid}",
                flat(some),
            )
        return found

    def some(self, question: str, numbers: Iterable[int]) -> list[Row]:
        found: list[Row] = []
        for some in chunks(sorted(numbers), AT_ONCE):
            found += self.database.rows(f"{question} {marks(1, len(some))}", some)
        return found


def flat(nodes: Sequence[Node]) -> list[int | str]:
    return [value for node in nodes for value in node]
