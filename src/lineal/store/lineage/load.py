"""Loading: new rows are opened, missing ones are closed, unchanged ones stay untouched.

Everything happens in one transaction: whoever opens the store sees the lineage as it was before, or
as it is after.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from lineal import __version__
from lineal.model.collector import without_collector
from lineal.model.edge import Edge
from lineal.model.extraction import Extraction
from lineal.model.sequences import flatten
from lineal.store.lineage import rows
from lineal.store.lineage.background import Ahead, Later
from lineal.store.lineage.database import Database, Row, Values, batches, indexes_on, report_damage
from lineal.store.lineage.layout import Ranges, count, covering_ranges, ranges
from lineal.store.lineage.numbers import Names, write_counters
from lineal.store.lineage.rows import FACTS, MAKERS, Apart, Fact, Twice
from lineal.store.lineage.runs import (
    Run,
    add_namespace,
    following_moment,
    last_run,
    namespace_number,
)
from lineal.store.lineage.schema import creation
from lineal.store.lineage.statements import Statements, unite_usages
from lineal.store.lineage.texts import storable

INDEXED = ("columns", "edges", "usages", "column_infos")
"""Where a load may bring more rows than there are, so that their indexes are made afterwards."""

EDGE = "id, source_id, target_id, statement_id"
USAGE = ("edge_id", "position", "way_id", "file_id", "line", "col", "expression", "calls")


class Change(NamedTuple):
    """The result of a load: the number of its run, or None if nothing changed."""

    run: Run | None
    opened: int
    """edges"""
    closed: int
    edges: int
    """that hold now"""


def load(
    database: Database, namespace: str, extraction: Extraction, source: str = "", now: str = ""
) -> Change:
    """Save the lineage of a namespace as a new run, and return what changed."""
    try:
        return _load(database, namespace, extraction, extraction.edges, source, now)
    except Twice:
        return _load(database, namespace, extraction, unite_usages(extraction.edges), source, now)


def _load(
    database: Database,
    namespace: str,
    extraction: Extraction,
    edges: list[Edge],
    source: str,
    now: str,
) -> Change:
    """Load an extraction as a new run, in one transaction."""
    with without_collector(), database.writing():
        with report_damage(database):
            held = namespace_number(database, namespace)
            before = last_run(database, held) if held is not None else None
            begun = Load(database, namespace, held, before)

        return begun.write_run(extraction, edges, source, now)


class Load:
    """One extraction on its way into the store."""

    def __init__(
        self, database: Database, namespace: str, held: int | None, before: Run | None
    ) -> None:
        self.database = database
        self.namespace = namespace
        self.before = before
        self.names = Names(database, held if held is not None else 0, held is None)
        if held is None:
            self.names.namespace = self.names.next["namespaces"]

        self.is_new = held is None
        self.run = self.names.next["runs"]
        self.layout: dict[str, Ranges] = {}
        self.indexes: dict[str, tuple[str, str]] = {}
        """Those that are made again when the rows are there."""

    def write_run(self, extraction: Extraction, given: list[Edge], source: str, now: str) -> Change:
        """Write a run, and return what changed since the last one."""
        apart = rows.split_edges(given, Statements(extraction.statements))
        with Later() as later:
            edges = (
                self._first(apart, later)
                if self.before is None
                else self._beside(apart, self.before)
            )
            facts = {table: make(extraction, self.names) for table, make in MAKERS.items()}
            steps = [self._facts(table, facts[table]) for table in FACTS]

        coverage = json.dumps(extraction.coverage.to_json())
        held = count(self.layout["edges"])
        if self._is_as_before(coverage) and not (
            edges.changes or any(step.changes for step in steps)
        ):
            return Change(None, 0, 0, held)

        if self.before is not None:
            self._write_beside(edges)

        run = self._write(steps, coverage, source, now)
        return Change(run, len(edges.opened), len(edges.closed), held)

    def _is_as_before(self, coverage: str) -> bool:
        """Tell whether the run before was the same."""
        return self.before is not None and (self.layout, coverage) == (
            self.before.layout,
            self.before.coverage,
        )

    def _first(self, found: Apart, later: Later) -> Edges:
        """Of a namespace that is new everything is written, while it is taken apart.

        What finds the rows of a table is made by the database alone, and meanwhile there is more to
        do here.
        """
        first = self.names.next["edges"]
        ids = range(first, first + len(found.edges))
        self._number(ids, len(ids))
        self._drop_indexes(len(ids))
        since = {"from_run": self.run}
        own = {"namespace_id": self.names.namespace, **since}
        pairs: rows.Pairs = []
        self.database.pour("edges", rows.edges(found, self.names, first, pairs), own)
        later(self._make_indexes, "edges")
        rows.each_once(pairs)
        usages = Ahead(rows.usages_of(found, self.names, first))
        self.database.pour(
            "columns", self.names.new_columns(), {}, partial(later.meanwhile, after=usages)
        )
        later(self._make_indexes, "columns")
        self.database.pour("usages", usages, since, later.meanwhile)
        later(self._make_indexes, "usages")
        return Edges({"id": ids})

    def _number(self, ids: Sequence[int], opened: int) -> None:
        """Take new numbers for edges, and note them in the layout."""
        self.names.next["edges"] += opened
        self.layout["edges"] = ranges(ids)

    def _drop_indexes(self, opened: int) -> None:
        """Where most of the edges are new, what finds them is made afterwards, in one go."""
        if opened >= self.names.next["edges"] - 1 - opened:
            self.indexes = indexes_on(self.database, INDEXED)

        for name in self.indexes:
            self.database.run(f"DROP INDEX {name}")

    def _make_indexes(self, table: str) -> None:
        """Those of a table whose rows are there."""
        for name in [name for name, on in self.indexes.items() if on[0] == table]:
            self.database.run(creation(name, self.indexes.pop(name)))

    def _write_beside(self, edges: Edges) -> None:
        """Write columns and edges while names are still collected."""
        self._drop_indexes(len(edges.opened))
        self.database.pour("columns", self.names.new_columns(), {})
        edges.write(self.database, self.names.namespace, self.run)

    def _write(self, steps: list[Facts], coverage: str, source: str, now: str) -> Run:
        """Write names, facts and the run itself."""
        if self.is_new:
            add_namespace(self.database, self.names.namespace, self.namespace)

        self.names.write()
        for step in steps:
            step.write(self.database, self.names.namespace, self.run)

        for table in INDEXED:
            self._make_indexes(table)

        at = following_moment(self.before, now)
        run = Run(
            self.run,
            self.names.namespace,
            at,
            __version__,
            storable(source),
            coverage,
            self.layout,
        )
        run.write(self.database)
        numbers = self.names.next
        write_counters(
            self.database,
            {
                **numbers,
                "runs": self.run + 1,
                "namespaces": max(numbers["namespaces"], self.names.namespace + 1),
            },
        )
        return run

    # -- edges and their usages --------------------------------------------------------------------

    def _beside(self, apart: Apart, before: Run) -> Edges:
        """Those that the store does not hold, and those that only the store holds."""
        found = rows.lineage(apart, self.names)
        first = self.names.next["edges"]
        within = covering_ranges(before.layout["edges"])
        known: dict[Row, int] = {
            (source, target, statement): number
            for number, source, target, statement in self._open_rows("edges", EDGE, within)
        }
        open_edges = set(known.values())
        keys = list(zip(found.sources, found.targets, found.statements, strict=True))
        following = first
        ids: list[int] = []
        new: list[int] = []
        for at, key in enumerate(keys):
            number = known.pop(key, None)
            if number is None:
                number = following
                following += 1
                new.append(at)

            ids.append(number)

        opened = {
            "id": range(first, following),
            "source_id": [found.sources[at] for at in new],
            "target_id": [found.targets[at] for at in new],
            "statement_id": [found.statements[at] for at in new],
        }
        columns = (found.owner_numbers(ids), found.positions, *found.usages(self.names).values())
        now: dict[Row, None] = dict.fromkeys(zip(*columns, strict=True))
        gone: list[Row] = []
        for usage in self._open_rows("usages", ", ".join(USAGE), within, number="edge_id"):
            if usage in now:
                del now[usage]
            elif usage[0] in open_edges:
                gone.append(usage[:2])

        self._number(ids, len(new))
        return Edges(opened, list(known.values()), _columns(USAGE, now), gone)

    def _open_rows(self, table: str, columns: str, within: Ranges, number: str = "id") -> list[Row]:
        """The open rows of this namespace; only edges have a namespace of their own."""
        found: list[Row] = []
        own = "AND namespace_id = ?" if number == "id" else ""
        for span in within:
            found += self.database.rows(
                f"SELECT {columns} FROM {table} WHERE {number} BETWEEN ? AND ? AND to_run IS NULL {own}",
                [*span, *([self.names.namespace] if own else [])],
            )

        return found

    # -- the other facts ---------------------------------------------------------------------------

    def _facts(self, table: str, found: list[Fact]) -> Facts:
        """Return the rows of a table that open, stay or close with this run."""
        first = self.names.next["facts"]
        held: dict[Fact, list[int]] = {}
        if self.before is not None:
            within = covering_ranges(self.before.layout[table])
            for row in self._open_rows(table, ", ".join(("id", *FACTS[table])), within):
                held.setdefault(row[1:], []).append(row[0])

        following = first
        ids: list[int] = []
        new: list[Fact] = []
        for fact in found:
            alike = held.get(fact)
            if alike:
                ids.append(alike.pop(0))
            else:
                ids.append(following)
                following += 1
                new.append(fact)

        self.names.next["facts"] = following
        self.layout[table] = ranges(ids)
        gone = flatten(held.values())
        return Facts(table, {"id": range(first, following), **_columns(FACTS[table], new)}, gone)


def _columns(names: Sequence[str], found: Iterable[Row]) -> dict[str, Values]:
    """Return rows as columns by their names."""
    split: Iterable[Values] = zip(*found, strict=True)
    if found:
        return dict(zip(names, split, strict=True))

    return dict.fromkeys(names, ())


# -- rows to write ---------------------------------------------------------------------------------


NOTHING: Mapping[str, Values] = {"edge_id": ()}


class Edges(NamedTuple):
    """New edges and usages, column by column; the numbers of those that are gone."""

    edges: Mapping[str, Values]
    closed: Sequence[int] = ()
    usages: Mapping[str, Values] = NOTHING
    gone: Sequence[Row] = ()

    @property
    def opened(self) -> Values:
        """Return the numbers of the new edges."""
        return self.edges["id"]

    @property
    def changes(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self.opened or self.closed or self.usages["edge_id"] or self.gone)

    def write(self, database: Database, namespace: int, run: int) -> None:
        """Write new edges and usages, and close those that are gone."""
        if self.closed:
            close(database, "edges", self.closed, run)

        if self.gone:
            close_usages(database, self.gone, run)

        database.pour("edges", batches(self.edges), {"namespace_id": namespace, "from_run": run})
        database.pour("usages", batches(self.usages), {"from_run": run})


class Facts(NamedTuple):
    """New rows of a table, column by column; the numbers of those that are gone."""

    table: str
    new: Mapping[str, Values]
    gone: Sequence[int]

    @property
    def opened(self) -> Values:
        """Return the numbers of the new facts."""
        return self.new["id"]

    @property
    def changes(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self.opened or self.gone)

    def write(self, database: Database, namespace: int, run: int) -> None:
        """Write new facts, and close those that are gone."""
        if self.gone:
            close(database, self.table, self.gone, run)

        if self.opened:
            database.fill(self.table, self.new, {"namespace_id": namespace, "from_run": run})


def close(database: Database, table: str, numbers: Sequence[int], run: int) -> None:
    """End rows with a run: the next one no longer has them."""
    database.run("CREATE TEMPORARY TABLE closing (id INTEGER PRIMARY KEY)")
    database.fill("closing", {"id": numbers}, {})
    database.run(f"UPDATE {table} SET to_run = ? WHERE id IN (SELECT id FROM closing)", [run])
    database.run("DROP TABLE closing")


def close_usages(database: Database, usages: Sequence[Row], run: int) -> None:
    """End usages with a run: the next one no longer has them."""
    database.run("CREATE TEMPORARY TABLE closing (edge_id INTEGER, position INTEGER)")
    database.fill("closing", _columns(("edge_id", "position"), usages), {})
    database.run(
        "UPDATE usages SET to_run = ? FROM closing WHERE usages.edge_id = closing.edge_id"
        " AND usages.position = closing.position AND usages.to_run IS NULL",
        [run],
    )
    database.run("DROP TABLE closing")
