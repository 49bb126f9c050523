"""The result as tables: sorted, so that the same lineage is the same bytes.

They hold all that `lineal lineage` finds in the same log: `store/outputs.py` reads them,
`projects/pipeline.py` makes a lineage of them. A change of a table is a new format there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, islice
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from lineal.model.diagnostic import Diagnostic, Place, order_of
from lineal.model.edge import Column, Dataset, Edge, Read, Usage, outer_calls
from lineal.model.extraction import ColumnInfo, Extraction
from lineal.model.way import Clause, Way
from lineal.projects.logs.statements import moment
from lineal.spark.pipeline.gathering import Names, Pair, Resolved
from lineal.spark.pipeline.logged import Logged

TEXT, COUNT, WORDS, FLAG = pa.string(), pa.int64(), pa.list_(pa.string()), pa.bool_()
END = (("dataset", TEXT), ("column", TEXT))
PLACE = (("file", TEXT), ("line", COUNT), ("position", COUNT))

SEEN = (("runs", COUNT), ("first_seen", TEXT), ("last_seen", TEXT), ("users", WORDS))
SCHEMAS = {
    "statements": pa.schema(
        [
            ("name", TEXT), ("fingerprint", TEXT), ("text", TEXT), *SEEN, ("database", TEXT), ("schema", TEXT),
            ("id", TEXT),
        ]
    ),
    "edges": pa.schema(
        [
            *((f"{end}_{part}", type_) for end in ("source", "target") for part, type_ in END),
            ("kind", TEXT), ("subtypes", WORDS), ("used_in", WORDS), ("transforms", WORDS), ("masked", FLAG),
            ("ambiguous", FLAG), ("confidence", TEXT), ("score", pa.float64()), ("statements", WORDS),
            *PLACE, *SEEN, ("number", COUNT), ("source_path", WORDS), ("target_path", WORDS),
        ]
    ),
    "usages": pa.schema(
        [
            ("edge", COUNT), ("subtype", TEXT), ("clause", TEXT), ("masked", FLAG), ("windowed", FLAG),
            ("confidence", TEXT), ("ambiguous", FLAG), ("evidence", TEXT), ("calls", WORDS), ("path", WORDS),
            ("bodies", pa.list_(WORDS)), ("expression", TEXT), *PLACE,
        ]
    ),
    "reads": pa.schema([("target", TEXT), ("dataset", TEXT), ("column", TEXT), ("clause", TEXT), *PLACE]),
    "datasets": pa.schema(
        [
            ("dataset", TEXT), ("number", COUNT), ("namespace", TEXT), ("name", TEXT), ("kind", TEXT),
            ("complete", FLAG), ("description", TEXT), ("declared", FLAG), ("produced", FLAG), ("terminal", FLAG),
            *PLACE,
        ]
    ),
    "columns": pa.schema(
        [
            ("dataset", TEXT), ("kind", TEXT), ("complete", FLAG), ("position", COUNT), ("column", TEXT),
            ("type", TEXT), ("description", TEXT), ("classification", WORDS), ("quoted", FLAG), ("inherits", FLAG),
            ("declared_position", COUNT), ("declared_type", TEXT), ("produced_position", COUNT),
            ("file", TEXT), ("line", COUNT), ("line_position", COUNT),
        ]
    ),
    "writes": pa.schema(
        [
            ("statement", TEXT), ("dataset", TEXT), ("number", COUNT), ("offset", COUNT), ("whole", FLAG),
            ("procedural", FLAG), ("kind", TEXT), ("dialect", TEXT), ("sql", TEXT), ("words", TEXT),
            ("meaning", TEXT), *PLACE,
        ]
    ),
    "diagnostics": pa.schema(
        [("severity", TEXT), ("code", TEXT), ("message", TEXT), *PLACE, ("hint", TEXT)]
    ),
    "quarantine": pa.schema([("reason", TEXT), ("count", COUNT), ("statement", TEXT)]),
}  # fmt: skip

PLACED = (("at", COUNT), ("rank", COUNT))
ORDER = {
    "edges": PLACED,
    "usages": PLACED,
    "reads": (),
    "datasets": (*PLACED, ("by", TEXT)),
    "columns": (("by", TEXT), ("group", COUNT), ("key", TEXT), ("rank", COUNT)),
    "writes": PLACED,
    "diagnostics": (("by", TEXT), ("at", COUNT)),
}
"""The columns that put the rows of several parts in one order (`merging`): `at` is the statement of the log
that a row belongs to, `rank` its place among the rows of that statement.
"""
PARTED = {
    name: pa.schema([*SCHEMAS[name], *(pa.field(*each) for each in order)])
    for name, order in ORDER.items()
}

TOGETHER = 10_000
"""Rows that are made at once."""


class Seen(NamedTuple):
    """How often, when and for whom the statements ran that something comes from."""

    runs: int
    first_seen: str
    last_seen: str
    users: tuple[str, ...]


Pages = Iterator[pa.Table]
"""A table, so many rows at once; the first page may be empty."""


class Order(Protocol):
    """Where in the whole log the rows of a part belong."""

    def edge(self, number: int) -> tuple[int, int]:
        """Return the place of an edge: the first statement that writes its target, and its rank."""

    def dataset(self, dataset: Dataset) -> int:
        """Return the first statement that writes a dataset; -1 if none does."""

    def column(self, dataset: Dataset, position: int, name: str) -> tuple[int, str | None, int]:
        """Return the group of a listed column, and the key and the rank of one that only use tells of."""

    def write(self, number: int) -> tuple[int, int]:
        """Return the place of a statement that writes."""

    def diagnostic(self, found: Diagnostic) -> int:
        """Return the place of a diagnostic that is reported once for all parts; else -1."""


def part_tables(
    resolved: Resolved, by_name: Mapping[str, Logged], order: Order
) -> Iterator[tuple[str, Pages]]:
    """Yield the tables of a part by their names, page by page: rows that are written need no memory."""
    extraction = resolved.extraction
    listed = extraction.for_one_use()
    makers: dict[str, Callable[[], Pages]] = {
        "edges": lambda: _pages(_edges(resolved, by_name, order), PARTED["edges"]),
        "usages": lambda: _plain_pages(_usages(extraction.edges, by_name, order), PARTED["usages"]),
        "reads": lambda: _plain_pages(map(_read, extraction.for_one_use().reads), PARTED["reads"]),
        "datasets": lambda: _plain_pages(_datasets(listed, order), PARTED["datasets"]),
        "columns": lambda: _plain_pages(_columns(listed, order), PARTED["columns"]),
        "writes": lambda: _plain_pages(_writes(resolved, bool(by_name), order), PARTED["writes"]),
        "diagnostics": lambda: _pages(_diagnostics(extraction, order), PARTED["diagnostics"]),
    }
    for name in ORDER:
        yield name, makers.pop(name)()
        if name == "columns":
            del listed


def statement_pages(logged: Iterable[Logged]) -> Pages:
    """Return the table of the statements."""
    return _pages(map(_statement, logged), SCHEMAS["statements"])


def quarantine_pages(
    poisoned: Mapping[str, str], runs: Mapping[str, int], quarantined: Mapping[str, int]
) -> Pages:
    """Return the table of the rows and statements that were given up; a script runs once."""
    return _pages(_quarantine(poisoned, runs, quarantined), SCHEMAS["quarantine"])


def _quarantine(
    poisoned: Mapping[str, str], runs: Mapping[str, int], quarantined: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return the rows of the quarantine."""
    quarantine = [
        {"reason": reason, "count": count, "statement": None}
        for reason, count in quarantined.items()
    ]
    quarantine += [
        {"reason": why, "count": runs.get(name, 1), "statement": name}
        for name, why in poisoned.items()
    ]
    return sorted(quarantine, key=lambda row: (row["reason"], row["statement"] or ""))


Row = tuple[Any, ...]
"""A row of a table that has many of them: its values in the order of the schema."""


def _pages(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> Pages:
    """Build a table page by page: rows that are not in a table yet need many times the memory."""
    make = _with_users if "users" in schema.names else pa.Table.from_pylist
    yield schema.empty_table()
    for part in _in_parts(rows):
        yield make(part, schema)


def _plain_pages(rows: Iterable[Row], schema: pa.Schema) -> Pages:
    """The same of rows that are tuples, several times faster."""
    yield schema.empty_table()
    for part in _in_parts(rows):
        columns = zip(*part, strict=True)
        arrays = [pa.array(each, field.type) for each, field in zip(columns, schema, strict=True)]
        yield pa.table(arrays, schema=schema)


def _in_parts(rows: Iterable[object]) -> Iterator[list[Any]]:
    """Return rows in lists of limited length."""
    every = iter(rows)
    return iter(lambda: list(islice(every, TOGETHER)), [])


def _with_users(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """The same users ran many statements: each list of them is made once."""
    crowds: dict[tuple[str, ...], int] = {}
    which = pa.array([crowds.setdefault(row["users"], len(crowds)) for row in rows], pa.int64())
    at = schema.get_field_index("users")
    others = pa.Table.from_pylist(rows, schema.remove(at))
    return others.add_column(at, schema.field(at), pa.array(crowds, WORDS).take(which))


def end_names(end: Column | Dataset) -> tuple[str, str]:
    """The dataset and the column of an end; a nested field is written with dots, a dataset has no
    column.
    """
    if isinstance(end, Column):
        return full_name(end.dataset), ".".join((end.name, *end.path))

    return full_name(end), ""


def full_name(dataset: Dataset) -> str:
    """Return the name of a dataset with its namespace."""
    if dataset.namespace:
        return f"{dataset.namespace}:{dataset.name}"

    return dataset.name


def _edges(
    resolved: Resolved, by_name: Mapping[str, Logged], order: Order
) -> Iterator[dict[str, Any]]:
    """Yield the rows of edges."""
    for number, edge in enumerate(resolved.extraction.edges):
        yield _edge(number, edge, resolved.statements, by_name, order)


def _edge(
    number: int,
    edge: Edge,
    statements: Mapping[Pair, Names],
    by_name: Mapping[str, Logged],
    order: Order,
) -> dict[str, object]:
    """Return the row of one edge."""
    source, target, place = end_names(edge.source), end_names(edge.target), edge.place
    names = sorted(statements.get((edge.source, edge.target), ()))
    ways = tuple([usage.way for usage in edge.usages])
    at, rank = order.edge(number)
    subtypes, used_in = _words_of(ways)
    return {
        "source_dataset": source[0],
        "source_column": source[1],
        "target_dataset": target[0],
        "target_column": target[1] if edge.field_level else None,
        "kind": edge.kind,
        "subtypes": subtypes,
        "used_in": used_in,
        "transforms": sorted({usage.transform for usage in edge.usages}),
        "masked": edge.masked,
        "ambiguous": edge.ambiguous,
        "confidence": edge.level.name,
        "score": edge.score,
        "statements": names,
        "file": place.file if place is not None else None,
        "line": place.line if place is not None else None,
        "position": place.column if place is not None else None,
        **sum_up_runs([by_name[name] for name in names if name in by_name])._asdict(),
        "number": number,
        "source_path": edge.source.path,
        "target_path": edge.target.path if isinstance(edge.target, Column) else (),
        "at": at,
        "rank": rank,
    }


@cache
def _words_of(ways: tuple[Way, ...]) -> tuple[list[str], list[str]]:
    """Return the subtypes and the clauses of usages: few combinations, and many edges."""
    clauses = {way.clause for way in ways}
    used_in = [clause.value for clause in Clause if clause in clauses]
    return sorted({way.how.value for way in ways}), used_in


def _usages(edges: Iterable[Edge], by_name: Mapping[str, Logged], order: Order) -> Iterator[Row]:
    """The usages of each edge, in their order.

    The expression of a log's statement is what stands around the position in its text, and is not
    written again.
    """
    for number, edge in enumerate(edges):
        for usage in edge.usages:
            way, doubt, place = usage.way, usage.doubt, usage.place
            kept = place is not None and place.file in by_name
            yield (
                number, way.how.value, way.clause.value, way.masked, way.windowed, usage.level.name,
                doubt is not None and doubt.ambiguous, doubt.evidence if doubt is not None else None, usage.calls,
                *_path(usage), None if kept else usage.expression, *_place_columns(place), *order.edge(number),
            )  # fmt: skip


def _path(usage: Usage) -> tuple[list[str] | None, list[tuple[str, ...] | None] | None]:
    """coalesce(cents(x), 0)

    the calls as they are written, and of each the calls of its body; null where the calls
    tell it already, and for what has no body"""
    path = usage.path
    if all(isinstance(call, str) for call in path):
        return None, None

    return list(outer_calls(path)), [None if isinstance(call, str) else call[1:] for call in path]


def _place_columns(place: Place | None) -> tuple[str | None, int | None, int | None]:
    """Return file, line and column of a place."""
    if place is not None:
        return (place.file, place.line, place.column)

    return (None, None, None)


def _read(read: Read) -> Row:
    """Return the row of a read."""
    return (
        full_name(read.target),
        full_name(read.dataset),
        read.column,
        read.clause.value,
        *_place_columns(read.place),
    )


def _writes(resolved: Resolved, logged: bool, order: Order) -> Iterator[Row]:
    """Yield the rows of writes with their order."""
    rows = _writes_of_log(resolved) if logged else _writes_of_scripts(resolved.extraction)
    return ((*row, *order.write(number)) for number, row in enumerate(rows))


def _writes_of_log(resolved: Resolved) -> Iterator[Row]:
    """Which statement writes what; all else is read from its text on demand."""
    nothing = (None,) * 4
    for number, each in enumerate(resolved.writes):
        kind = "function" if each.function else None
        where = (number, each.offset, each.whole, each.procedural)
        yield each.statement, full_name(each.target), *where, kind, *nothing, *_place_columns(None)


def _writes_of_scripts(extraction: Extraction) -> Iterator[Row]:
    """The statements of scripts, whose texts are in no table, with what `lineal diff` and `lineal
    emit` ask for.
    """
    texts = {output: job.sql for job in extraction.jobs for output in job.outputs}
    for number, each in enumerate(extraction.statements):
        sql = texts.pop(each.target, None)
        yield (
            each.file, full_name(each.target), number, None, None, None, each.kind, each.dialect, sql, each.words,
            each.meaning, *_place_columns(each.place),
        )  # fmt: skip


def sum_up_runs(logged: Iterable[Logged]) -> Seen:
    """Return how often, when and by whom a statement was run."""
    several = list(logged)
    if len(several) == 1:
        only = several[0]
        return Seen(only.runs, only.first, only.last, only.users)

    times = [(moment(time), time) for each in several for time in (each.first, each.last) if time]
    users = tuple(sorted(set(chain.from_iterable(each.users for each in several))))
    runs = sum(each.runs for each in several)
    return Seen(runs, min(times, default=(0, ""))[1], max(times, default=(0, ""))[1], users)


def _statement(each: Logged) -> dict[str, object]:
    """Return the row of a logged statement."""
    return {
        "name": each.name, "fingerprint": each.key, "text": each.text, "runs": each.runs, "first_seen": each.first,
        "last_seen": each.last, "users": each.users, "database": each.database, "schema": each.schema,
        "id": each.id,
    }  # fmt: skip


def _sort_key(dataset: Dataset) -> str:
    """Return a text that sorts as the dataset does."""
    return "\0".join(dataset)


def _datasets(extraction: Extraction, order: Order) -> Iterator[Row]:
    """Yield the rows of datasets."""
    ranks: dict[int, int] = {}
    for number, (dataset, info) in enumerate(extraction.datasets.items()):
        at = order.dataset(dataset)
        rank = ranks[at] = ranks.get(at, -1) + 1
        yield (
            full_name(dataset), number, dataset.namespace, dataset.name, info.kind, info.complete, info.description,
            info.declared is not None, info.produced is not None, info.terminal, *_place_columns(info.place),
            at, rank, _sort_key(dataset),
        )  # fmt: skip


LISTED, USED, BESIDE = 0, 1, 2
"""The groups of the columns of a dataset, in their order: `USED` are those that only use tells of."""


def _columns(extraction: Extraction, order: Order) -> Iterator[Row]:
    """The columns of each dataset; then those that are declared or made for it, and that it does
    not have.
    """
    for dataset, info in extraction.datasets.items():
        about, by = (full_name(dataset), info.kind, info.complete), _sort_key(dataset)
        declared = {column.name: (at, column) for at, column in enumerate(info.declared_columns, 1)}
        produced = {column.name: at for at, column in enumerate(info.produced_columns, 1)}
        listed = {column.name for column in info.columns}
        for position, column in enumerate(info.columns, 1):
            made = position if info.produced is info.columns else produced.get(column.name)
            told = _declaration_of(declared.get(column.name))
            group, key, rank = order.column(dataset, position, column.name)
            where = (by, group, key, rank)
            yield (
                *about,
                position,
                *_column(column),
                *told,
                made,
                *_place_columns(column.place),
                *where,
            )

        beside = {
            **{name: column for name, (_, column) in declared.items()},
            **_by_name(info.produced),
        }
        for number, (name, column) in enumerate(beside.items()):
            if name not in listed:
                told = _declaration_of(declared.get(name))
                where = (by, BESIDE, None, number)
                made = produced.get(name)
                yield (
                    *about,
                    None,
                    *_column(column),
                    *told,
                    made,
                    *_place_columns(column.place),
                    *where,
                )


def _by_name(columns: Iterable[ColumnInfo] | None) -> dict[str, ColumnInfo]:
    """Return columns by their names."""
    return {column.name: column for column in columns or ()}


def _column(column: ColumnInfo) -> Row:
    """Return the row of a column."""
    return (
        column.name, _type(column), column.description, column.classification, column.quoted, column.inherits
    )  # fmt: skip


def _declaration_of(told: tuple[int, ColumnInfo] | None) -> tuple[int | None, str | None]:
    """Return position and type of a declared column."""
    if told is not None:
        return (told[0], _type(told[1]))

    return (None, None)


def _type(column: ColumnInfo) -> str:
    """A type that is declared; the others would have to be computed, and for that the statements be
    parsed.
    """
    if isinstance(column[1], str):
        return column[1]

    return ""


def _diagnostics(extraction: Extraction, order: Order) -> Iterable[dict[str, Any]]:
    """Yield the rows of diagnostics."""
    for found in sorted(set(extraction.diagnostics), key=order_of):
        place = found.place
        yield {
            "severity": found.severity.label,
            "code": found.code.value[0],
            "message": found.message,
            "file": place.file if place is not None else None,
            "line": place.line if place is not None else None,
            "position": place.column if place is not None else None,
            "hint": found.hint,
            "by": place.file if place is not None else "",
            "at": order.diagnostic(found),
        }
