"""The result as tables: sorted, so that the same lineage is the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

from lineal.model.collector import uncollected
from lineal.model.diagnostic import order_of
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.extraction import Extraction
from lineal.projects.logs.statements import moment
from lineal.spark.bulk.resolve import Pair, Resolved
from lineal.spark.bulk.statements import Logged

TEXT, COUNT, WORDS = pa.string(), pa.int64(), pa.list_(pa.string())
END = (("dataset", TEXT), ("column", TEXT))

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
            ("kind", TEXT), ("subtypes", WORDS), ("used_in", WORDS), ("transforms", WORDS), ("masked", pa.bool_()),
            ("ambiguous", pa.bool_()), ("confidence", TEXT), ("score", pa.float64()), ("statements", WORDS),
            ("file", TEXT), ("line", COUNT), ("position", COUNT), *SEEN,
        ]
    ),
    "columns": pa.schema(
        [
            ("dataset", TEXT), ("kind", TEXT), ("complete", pa.bool_()), ("position", COUNT), ("column", TEXT),
            ("type", TEXT),
        ]
    ),
    "diagnostics": pa.schema(
        [("severity", TEXT), ("code", TEXT), ("message", TEXT), ("file", TEXT), ("line", COUNT), ("position", COUNT)]
    ),
    "quarantine": pa.schema([("reason", TEXT), ("count", COUNT), ("statement", TEXT)]),
}  # fmt: skip

TOGETHER = 10_000
"""Rows that are made at once."""


class Seen(NamedTuple):
    """How often, when and for whom the statements ran that something comes from."""

    runs: int
    first_seen: str
    last_seen: str
    users: tuple[str, ...]


def tables(resolved: Resolved, logged: list[Logged], quarantined: Mapping[str, int]) -> dict[str, pa.Table]:
    with uncollected():
        return _tables(resolved, logged, quarantined)


def _tables(resolved: Resolved, logged: list[Logged], quarantined: Mapping[str, int]) -> dict[str, pa.Table]:
    by_name = {each.name: each for each in logged}
    extraction = resolved.extraction
    runs = {name: by_name[name].runs if name in by_name else 1 for name in resolved.poisoned}
    quarantine = [{"reason": reason, "count": count, "statement": None} for reason, count in quarantined.items()]
    quarantine += [{"reason": why, "count": runs[name], "statement": name} for name, why in resolved.poisoned.items()]
    found: dict[str, Iterable[dict[str, Any]]] = {
        "statements": map(_statement, logged),
        "edges": (_edge(edge, resolved.statements, by_name) for edge in sorted(extraction.edges, key=_order)),
        "columns": _columns(extraction),
        "diagnostics": _diagnostics(extraction),
        "quarantine": sorted(quarantine, key=lambda row: (row["reason"], row["statement"] or "")),
    }
    return {name: _table(rows, SCHEMAS[name]) for name, rows in found.items()}


def _table(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """A part after the other: what is not yet in a table takes many times the room."""
    every = iter(rows)
    parts = iter(lambda: list(islice(every, TOGETHER)), [])
    make = _with_users if "users" in schema.names else pa.Table.from_pylist
    return pa.concat_tables([schema.empty_table(), *(make(part, schema) for part in parts)])


def _with_users(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """The same users ran many statements: each list of them is made once."""
    crowds: dict[tuple[str, ...], int] = {}
    which = pa.array([crowds.setdefault(row["users"], len(crowds)) for row in rows], pa.int64())
    at = schema.get_field_index("users")
    others = pa.Table.from_pylist(rows, schema.remove(at))
    return others.add_column(at, schema.field(at), pa.array(crowds, WORDS).take(which))


def named(end: Column | Dataset) -> tuple[str, str]:
    """The dataset and the column of an end; a nested field is written with dots, a dataset has no column."""
    if isinstance(end, Column):
        return _full(end.dataset), ".".join((end.name, *end.path))
    return _full(end), ""


def _full(dataset: Dataset) -> str:
    return f"{dataset.namespace}:{dataset.name}" if dataset.namespace else dataset.name


def _order(edge: Edge) -> tuple[tuple[str, str], tuple[str, str]]:
    return named(edge.target), named(edge.source)


def _edge(edge: Edge, statements: Mapping[Pair, set[str]], by_name: Mapping[str, Logged]) -> dict[str, Any]:
    source, target, place = named(edge.source), named(edge.target), edge.place
    names = sorted(statements.get((edge.source, edge.target), ()))
    return {
        "source_dataset": source[0],
        "source_column": source[1],
        "target_dataset": target[0],
        "target_column": target[1] if edge.field_level else None,
        "kind": edge.kind,
        "subtypes": sorted({usage.how.value for usage in edge.usages}),
        "used_in": list(edge.used_in),
        "transforms": sorted({usage.transform for usage in edge.usages}),
        "masked": edge.masked,
        "ambiguous": edge.ambiguous,
        "confidence": edge.level.name,
        "score": edge.score,
        "statements": names,
        "file": place.file if place is not None else None,
        "line": place.line if place is not None else None,
        "position": place.column if place is not None else None,
        **seen([by_name[name] for name in names if name in by_name])._asdict(),
    }


def seen(logged: Iterable[Logged]) -> Seen:
    several = list(logged)
    if len(several) == 1:
        only = several[0]
        return Seen(only.runs, only.first, only.last, only.users)
    times = [(moment(time), time) for each in several for time in (each.first, each.last) if time]
    users = tuple(sorted({user for each in several for user in each.users}))
    runs = sum(each.runs for each in several)
    return Seen(runs, min(times, default=(0, ""))[1], max(times, default=(0, ""))[1], users)


def _statement(each: Logged) -> dict[str, Any]:
    return {
        "name": each.name, "fingerprint": each.key, "text": each.text, "runs": each.runs, "first_seen": each.first,
        "last_seen": each.last, "users": each.users, "database": each.database, "schema": each.schema,
        "id": each.id,
    }  # fmt: skip


def _columns(extraction: Extraction) -> Iterable[dict[str, Any]]:
    for dataset, info in sorted(extraction.datasets.items()):
        about = {"dataset": _full(dataset), "kind": info.kind, "complete": info.complete}
        for position, column in enumerate(info.columns, 1):
            declared = column[1] if isinstance(column[1], str) else ""  # the others would have to be parsed for it
            yield {**about, "position": position, "column": column.name, "type": declared}


def _diagnostics(extraction: Extraction) -> Iterable[dict[str, Any]]:
    for found in sorted(set(extraction.diagnostics), key=order_of):
        place = found.place
        yield {
            "severity": found.severity.label,
            "code": found.code.value[0],
            "message": found.message,
            "file": place.file if place is not None else None,
            "line": place.line if place is not None else None,
            "position": place.column if place is not None else None,
        }
