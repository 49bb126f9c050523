"""Back from the store: an extraction as it was loaded, with nothing lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from lineal.model.collector import without_collector
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Calls, Column, Dataset, Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction, Occurrence
from lineal.model.ledger import Coverage
from lineal.model.sequences import invert, second_of_each
from lineal.model.statement import Statement
from lineal.model.way import Clause
from lineal.store.lineage import schema
from lineal.store.lineage.database import Database, Row
from lineal.store.lineage.forms import add_rest, job_in
from lineal.store.lineage.layout import count, covering_ranges, numbers
from lineal.store.lineage.numbers import Manner, NamespaceNames
from lineal.store.lineage.rows import FACTS
from lineal.store.lineage.runs import Run
from lineal.store.lineage.texts import original, parse_list, unlisted_calls

VALID = "from_run <= ? AND (to_run IS NULL OR to_run > ?)"
"""Of a fact: it holds in a run."""


def extraction_of(database: Database, run: Run) -> Extraction:
    """Return the extraction that a run has loaded."""
    with without_collector():
        return Restored(database, run).extraction()


class Restored:
    """The facts of a run, as values of the model."""

    def __init__(self, database: Database, run: Run) -> None:
        self.database = database
        self.run = run
        self.held = NamespaceNames(database, run.namespace)
        self.version = max(database.versions() or [schema.VERSION])
        self.paths: dict[str | None, Calls] = {}

    def extraction(self) -> Extraction:
        """Return the whole lineage of the run."""
        return Extraction(
            self.edges(),
            [self.read(*fact) for fact in self.facts("reads")],
            self.infos(),
            [self.diagnostic(*fact) for fact in self.facts("diagnostics")],
            coverage_in(self.run.coverage),
            [self.occurrence(*fact) for fact in self.facts("occurrences")],
            [self.statement(*fact) for fact in self.facts("statement_infos")],
            [job_in(job) for _, job in self.facts("jobs")],
        )

    @cached_property
    def datasets(self) -> dict[int, Dataset]:
        """Return each dataset by its number."""
        return self.held.datasets_by_number()

    @cached_property
    def files(self) -> dict[int, str]:
        """Return each file by its number."""
        return self.held.files_by_number()

    @cached_property
    def ways(self) -> dict[int, Manner]:
        """Return each way by its number."""
        return self.held.ways_by_number()

    # -- rows --------------------------------------------------------------------------------------

    def facts(self, table: str) -> list[Row]:
        """The facts of a table in the run's order, without their numbers."""
        columns = schema.selected_columns(table, FACTS[table], self.version)
        known = {number: fact for number, *fact in self.rows(table, "id", columns)}
        return [tuple(known[number]) for number in numbers(self.run.layout[table])]

    def rows(self, table: str, number: str, columns: str, layout: str = "") -> Iterable[Row]:
        """Yield the rows of a table that belong to the run."""
        for span in covering_ranges(self.run.layout[layout or table]):
            yield from self.database.rows(
                f"SELECT {number}, {columns} FROM {table} WHERE {number} BETWEEN ? AND ? AND {VALID}",
                [*span, self.run.number, self.run.number],
            )

    # -- values ------------------------------------------------------------------------------------

    def edges(self) -> list[Edge]:
        """Return the edges of the run, in their order."""
        ends = self.held.columns_by_number()
        pairs: dict[int, tuple[int, int]] = {
            number: (source, target)
            for number, source, target in self.rows("edges", "id", "source_id, target_id")
        }
        promised = count(self.run.layout["edges"])
        if promised > len(pairs):  # before a list of them takes all memory
            raise ValueError(
                f"run {self.run.number} has {promised} edges, and {len(pairs)} are there"
            )

        usages: dict[int, list[tuple[int, Usage]]] = {
            number: [] for number in numbers(self.run.layout["edges"])
        }
        columns = "position, way_id, file_id, line, col, expression, calls"
        for number, position, *said in self.rows("usages", "edge_id", columns, "edges"):
            if number in usages:  # between two of our edges there may be those of others
                usages[number].append((position, self.usage(*said)))

        found: dict[tuple[int, int], list[tuple[int, Usage]]] = {}
        for number, several in usages.items():
            found.setdefault(pairs[number], []).extend(several)

        return [
            build_edge(ends[source], ends[target], several)
            for (source, target), several in found.items()
        ]

    def usage(
        self, way: int, file: int | None, line: int, column: int, expression: str, calls: str | None
    ) -> Usage:
        """Return a usage as it was saved."""
        taken, doubt, level = self.ways[way]
        path = self.paths.get(calls)
        if path is None:
            path = self.paths[calls] = unlisted_calls(calls) if calls else ()

        return Usage(
            taken,
            doubt,
            None,
            Site(self.place(file, line, column), original(expression), path, level),
        )

    def place(self, file: int | None, line: int, column: int) -> Place | None:
        """Return a place as it was saved."""
        if file is not None:
            return Place(self.files[file], line, column)

        return None

    def infos(self) -> dict[Dataset, DatasetInfo]:
        """Return the datasets of the run, with their columns."""
        columns: dict[int, list[ColumnInfo]] = {}
        for dataset, _, *said in self.facts("column_infos"):
            columns.setdefault(dataset, []).append(self.column(*said))

        found = (self.info(columns, *fact) for fact in self.facts("dataset_infos"))
        return {info.dataset: info for info in found}

    def info(
        self,
        columns: Mapping[int, list[ColumnInfo]],
        number: int,
        kind: str,
        complete: int,
        said: str,
        *others: Any,
    ) -> DatasetInfo:
        """Return a dataset as it was saved."""
        *place, rest = others
        known = self.datasets[number]
        listed = columns.get(number, [])
        info = DatasetInfo(
            known, original(kind), listed, bool(complete), original(said), self.place(*place)
        )
        return add_rest(info, rest)

    def column(self, name: str, kind: str, said: str, labels: str, *rest: Any) -> ColumnInfo:
        """Return a column as it was saved."""
        *place, quoted, own = rest
        where = self.place(*place)
        known = (original(name), original(kind), original(said), parse_list(labels))
        return ColumnInfo(*known, where, bool(quoted), not own)

    def read(self, target: int, dataset: int, column: str | None, clause: str, *rest: Any) -> Read:
        """Return a read as it was saved."""
        *place, manner = rest
        named = original(column) if column is not None else None
        where = self.place(*place)
        stands = (bool((manner or 0) & 1), bool((manner or 0) & 2))
        return Read(
            self.datasets[target], self.datasets[dataset], named, Clause(clause), where, *stands
        )

    def diagnostic(self, code: str, severity: str, message: str, *rest: Any) -> Diagnostic:
        """Return a diagnostic as it was saved."""
        *place, hint = rest
        return Diagnostic(Code[code], original(message), self.place(*place), original(hint))

    def occurrence(
        self, name: str, file: int, line: int, column: int, runs: int, *rest: str
    ) -> Occurrence:
        """Return an occurrence as it was saved."""
        first, last, users, databases, known_as = rest
        where = self.place(file, line, column)
        assert where is not None
        return Occurrence(
            original(name), where, runs, original(first), original(last), parse_list(users), parse_list(databases),
            original(known_as),
        )  # fmt: skip

    def statement(self, number: int, kind: str, *rest: Any) -> Statement:
        """Return a statement as it was saved."""
        *place, dialect, words, meaning = rest
        target, _, _ = self.statements[number]
        where = self.place(*place)
        return Statement(
            target, original(kind), where, original(dialect), original(words), original(meaning)
        )

    @cached_property
    def statements(self) -> dict[int, Any]:
        """Return target, file and position of each statement by its number."""
        return invert(self.held.statements())


def coverage_in(text: str) -> Coverage:
    """The counts of a run; anything that is not a number is damage."""
    return Coverage.from_json(json.loads(text))


def build_edge(
    source: Column | Dataset, target: Column | Dataset, usages: list[tuple[int, Usage]]
) -> Edge:
    """Return an edge with its usages in their order."""
    if not isinstance(source, Column):
        raise TypeError(f"an edge from {source}, which is not a column")

    if len(usages) == 1:
        return Edge(source, target, (usages[0][1],))

    return Edge(source, target, tuple(second_of_each(sorted(usages, key=_position))))


def _position(placed: tuple[int, Usage]) -> int:
    """Return the position of a usage."""
    return placed[0]
