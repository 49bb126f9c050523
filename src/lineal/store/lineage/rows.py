"""An extraction as rows: columns of numbers and texts, made a whole column at a time.

A million edges pass here, so that what is done for each of them is done by `map`, `zip` and `chain`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.edge import Edge, Site, Usage
from lineal.model.extraction import Extraction
from lineal.model.statement import Statement
from lineal.store.lineage.numbers import Names
from lineal.store.lineage.statements import Key, Statements, united
from lineal.store.lineage.texts import all_plain, listed, plain

Fact = tuple[Any, ...]

PLACE = ("file_id", "line", "col")
FACTS: dict[str, tuple[str, ...]] = {
    "dataset_infos": ("dataset_id", "kind", "complete", "description", *PLACE),
    "column_infos": (
        "dataset_id", "position", "name", "type", "description", "classification", *PLACE, "quoted",
    ),
    "statement_infos": ("statement_id", "kind", *PLACE, "dialect", "words", "meaning"),
    "reads": ("target_id", "dataset_id", "column_name", "clause", *PLACE),
    "diagnostics": ("code", "severity", "message", *PLACE, "hint"),
    "occurrences": ("name", *PLACE, "runs", "first", "last", "users", "databases", "log_id"),
}  # fmt: skip
"""The tables of facts beside edges and usages, and their columns."""


class Lineage(NamedTuple):
    """Edges and usages, column by column."""

    sources: list[int]
    targets: list[int]
    statements: list[int | None]
    counts: list[int]
    """how many usages each edge has"""
    positions: list[int]
    usages: dict[str, Sequence[Any]]


def lineage(extraction: Extraction, names: Names) -> Lineage:
    statements = Statements(extraction.statements)
    edges, keys, positions = _apart(extraction.edges, statements)
    sources = list(map(names.columns.__getitem__, [edge[0] for edge in edges]))
    targets = list(map(names.columns.__getitem__, [edge[1] for edge in edges]))
    if keys is None and len(set(zip(sources, targets, strict=True))) < len(edges):
        return lineage(_uniting(extraction), names)
    several = [edge[2] for edge in edges]
    return Lineage(
        sources,
        targets,
        _numbers(edges, targets, statements, names) if keys is None else _numbered(keys, names),
        list(map(len, several)),
        positions if positions is not None else list(chain.from_iterable(map(range, map(len, several)))),
        usages(list(chain.from_iterable(several)), names),
    )


def _uniting(extraction: Extraction) -> Extraction:
    return Extraction(united(extraction.edges), statements=extraction.statements)


def _apart(edges: list[Edge], statements: Statements) -> tuple[list[Edge], list[Key | None] | None, list[int] | None]:
    """Where a target has several statements: the edges of each of them, with their statements and positions."""
    if not statements.several:
        return edges, None, None
    apart: list[Edge] = []
    keys: list[Key | None] = []
    positions: list[int] = []
    for edge in united(edges):
        if edge.into in statements.several:
            for part in statements.parts(edge):
                apart.append(part.edge)
                keys.append(part.statement)
                positions += part.positions
        else:
            apart.append(edge)
            keys.append(statements.only(edge.into))
            positions += range(len(edge.usages))
    return apart, keys, positions


def _numbers(edges: list[Edge], targets: list[int], statements: Statements, names: Names) -> list[int | None]:
    """The statement of each edge, looked up once for each target."""
    if not statements.of:
        return [None] * len(edges)
    of: dict[int, int | None] = {}
    for target, edge in dict(zip(targets, edges, strict=True)).items():
        key = statements.only(edge.into)
        of[target] = names.statements[key] if key is not None else None
    return list(map(of.__getitem__, targets))


def _numbered(keys: list[Key | None], names: Names) -> list[int | None]:
    return [names.statements[key] if key is not None else None for key in keys]


def usages(found: list[Usage], names: Names) -> dict[str, Sequence[Any]]:
    sites = [usage[3] if usage[3].__class__ is Site else _site(usage) for usage in found]
    manners = zip(map(itemgetter(0), found), map(itemgetter(1), found), map(itemgetter(3), sites), strict=True)
    ways = list(map(names.ways.__getitem__, manners))
    files, lines, columns = places([site[0] for site in sites], names)
    paths = [site[2] for site in sites]
    spelt = {path: listed(path) if path else None for path in set(paths)}
    return {
        "way_id": ways,
        "file_id": files,
        "line": lines,
        "col": columns,
        "expression": all_plain([site[1] for site in sites]),
        "calls": list(map(spelt.__getitem__, paths)),
    }


def _site(usage: Usage) -> Site:
    """Of a usage that has not been asked yet."""
    return Site(usage.place, usage.expression, usage.calls, usage.reader.level)


def places(found: list[Place | None], names: Names) -> tuple[list[Any], list[Any], list[Any]]:
    """File, line and column of each; nothing where there is no place."""
    if None in found:
        split = [_place(place, names) for place in found]
        return [each[0] for each in split], [each[1] for each in split], [each[2] for each in split]
    known: Any = found
    files = list(map(names.files.__getitem__, [place[0] for place in known]))
    return files, [place[1] for place in known], [place[2] for place in known]


def _place(place: Place | None, names: Names) -> tuple[int | None, int | None, int | None]:
    return (names.files[place.file], place.line, place.column) if place is not None else (None, None, None)


def edge_numbers(ids: Sequence[int], counts: list[int]) -> Sequence[int]:
    """The edge of each usage."""
    if len(ids) == sum(counts) and 0 not in counts:
        return ids
    return list(chain.from_iterable(map(repeat, ids, counts)))


# -- the other facts -------------------------------------------------------------------------------------------------


def dataset_infos(extraction: Extraction, names: Names) -> list[Fact]:
    return [
        (
            names.datasets[known],
            plain(info.kind),
            int(info.complete),
            plain(info.description),
            *_place(info.place, names),
        )
        for known, info in extraction.datasets.items()
    ]


def column_infos(extraction: Extraction, names: Names) -> list[Fact]:
    return [
        (
            names.datasets[known], position, plain(column.name), plain(column.type), plain(column.description),
            listed(column.classification), *_place(column.place, names), int(column.quoted),
        )
        for known, info in extraction.datasets.items()
        for position, column in enumerate(info.columns)
    ]  # fmt: skip


def statement_infos(extraction: Extraction, names: Names) -> list[Fact]:
    keys = Statements(extraction.statements).keys
    return [
        (names.statements[key], *_statement(each, names)) for key, each in zip(keys, extraction.statements, strict=True)
    ]


def _statement(each: Statement, names: Names) -> Fact:
    place = _place(each.place, names)
    return plain(each.kind), *place, plain(each.dialect), plain(each.words), plain(each.meaning)


def reads(extraction: Extraction, names: Names) -> list[Fact]:
    found = extraction.reads
    number = names.datasets.__getitem__
    columns = [read.column for read in found]
    fit = all_plain([column or "" for column in columns])
    return list(
        zip(
            map(number, [read.target for read in found]),
            map(number, [read.dataset for read in found]),
            (None if column is None else text for column, text in zip(columns, fit, strict=True)),
            [read.clause.value for read in found],
            *places([read.place for read in found], names),
            strict=True,
        )
    )


def diagnostics(extraction: Extraction, names: Names) -> list[Fact]:
    return [
        (
            found.code.name, found.severity.label, plain(found.message), *_place(found.place, names),
            plain(found.hint),
        )
        for found in extraction.diagnostics
    ]  # fmt: skip


def occurrences(extraction: Extraction, names: Names) -> list[Fact]:
    return [
        (
            plain(each.name), *_place(each.place, names), each.runs, plain(each.first), plain(each.last),
            listed(each.users), listed(each.databases), plain(each.id),
        )
        for each in extraction.occurrences
    ]  # fmt: skip


MAKERS: dict[str, Callable[[Extraction, Names], list[Fact]]] = {
    "dataset_infos": dataset_infos,
    "column_infos": column_infos,
    "statement_infos": statement_infos,
    "reads": reads,
    "diagnostics": diagnostics,
    "occurrences": occurrences,
}
