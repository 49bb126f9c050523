"""An extraction as rows: columns of numbers and texts, made a whole column at a time.

A million edges pass here, so that what is done for each of them is done by `map`, `zip` and `chain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from operator import add
from typing import Any, NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.edge import Edge, Site, Usage
from lineal.model.extraction import Extraction
from lineal.model.statement import Statement
from lineal.model.way import Confidence
from lineal.store.lineage.database import chunks
from lineal.store.lineage.forms import job_out, rest_of
from lineal.store.lineage.numbers import Names
from lineal.store.lineage.statements import Key, Statements, united
from lineal.store.lineage.texts import all_plain, listed, plain

Fact = tuple[Any, ...]

AT_ONCE = 8192
"""So many edges are taken apart before the next ones: what they are made of is then still at hand."""

PLACE = ("file_id", "line", "col")
FACTS: dict[str, tuple[str, ...]] = {
    "dataset_infos": ("dataset_id", "kind", "complete", "description", *PLACE, "rest"),
    "column_infos": (
        "dataset_id", "position", "name", "type", "description", "classification", *PLACE, "quoted", "own",
    ),
    "statement_infos": ("statement_id", "kind", *PLACE, "dialect", "words", "meaning"),
    "reads": ("target_id", "dataset_id", "column_name", "clause", *PLACE),
    "jobs": ("name", "job"),
    "diagnostics": ("code", "severity", "message", *PLACE, "hint"),
    "occurrences": ("name", *PLACE, "runs", "first", "last", "users", "databases", "log_id"),
}  # fmt: skip
"""The tables of facts beside edges and usages, and their columns."""


class Lineage(NamedTuple):
    """Edges, column by column, and their usages, which are taken apart when they are asked for."""

    sources: list[int]
    targets: list[int]
    statements: list[int | None]
    owners: Sequence[int] | None
    """the edge of each usage, from 0; None where each edge has one"""
    positions: Sequence[int] | None
    """of each usage in its edge; None where each edge has one"""
    several: list[tuple[Usage, ...]]

    def owned(self, ids: Sequence[int]) -> Sequence[int]:
        """The numbers of the usages' edges, from those of the edges."""
        return ids if self.owners is None else list(map(ids.__getitem__, self.owners))

    def placed(self) -> Sequence[int]:
        return self.positions if self.positions is not None else [0] * len(self.sources)

    def usages(self, names: Names) -> dict[str, Sequence[Any]]:
        used: dict[str, list[Any]] = {name: [] for name in USED}
        for some in chunks(self.several, AT_ONCE):
            for column, values in zip(used.values(), usages(list(chain.from_iterable(some)), names), strict=True):
                column += values
        return {**used, "expression": all_plain(used["expression"])}


def lineage(extraction: Extraction, names: Names) -> Lineage:
    statements = Statements(extraction.statements)
    edges, keys, positions = _apart(extraction.edges, statements)
    number = names.columns.__getitem__
    sources: list[int] = []
    targets: list[int] = []
    for some in chunks(edges, AT_ONCE):
        sources += map(number, [edge[0] for edge in some])
        targets += map(number, [edge[1] for edge in some])
    several = [edge[2] for edge in edges]
    counts = list(map(len, several))
    numbered = _numbers(edges, targets, statements, names) if keys is None else _numbered(keys, names)
    alone = counts.count(1) == len(counts)
    owners = None if alone else list(chain.from_iterable(map(repeat, range(len(edges)), counts)))
    if positions is None and not alone:
        positions = list(chain.from_iterable(map(range, counts)))
    found = Lineage(sources, targets, numbered, owners, positions, several)
    return found if keys is not None or _apart_already(found) else _united(found)


def _apart_already(found: Lineage) -> bool:
    """Whether there is one edge between two columns."""
    shift = (1 << 32).__mul__
    return len(set(map(add, map(shift, found.sources), found.targets))) == len(found.sources)


def _united(found: Lineage) -> Lineage:
    """Each pair once, with the usages of all edges between the two."""
    pairs = list(zip(found.sources, found.targets, strict=True))
    numbers: dict[tuple[int, int], int] = {}
    edge_of = [numbers.setdefault(pair, len(numbers)) for pair in pairs]
    kept = dict(zip(pairs, found.statements, strict=True))
    owners = edge_of if found.owners is None else [edge_of[owner] for owner in found.owners]
    counted: dict[int, int] = {}
    positions = []
    for owner in owners:
        position = counted[owner] = counted.get(owner, -1) + 1
        positions.append(position)
    sources, targets = [source for source, _ in numbers], [target for _, target in numbers]
    return Lineage(sources, targets, [kept[pair] for pair in numbers], owners, positions, found.several)


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


USED = ("way_id", "file_id", "line", "col", "expression", "calls")


def usages(found: list[Usage], names: Names) -> tuple[Iterable[Any], ...]:
    """The columns of USED."""
    if not found:
        return ((),) * len(USED)
    sites = [usage[3] if usage[3].__class__ is Site else _site(usage) for usage in found]
    at, texts, paths, levels = zip(*sites, strict=True)
    spelt = {path: listed(path) if path else None for path in set(paths)}
    return ways(found, levels, names), *places(at, names), texts, map(spelt.__getitem__, paths)


def ways(found: list[Usage], levels: Sequence[Confidence], names: Names) -> Iterable[int]:
    taken, doubts, _, _ = zip(*found, strict=True)
    if any(doubts) or len(set(levels)) > 1:
        return map(names.ways.__getitem__, zip(taken, doubts, levels, strict=True))
    known = {each: names.ways[each, None, levels[0]] for each in dict.fromkeys(taken)}
    return map(known.__getitem__, taken)


def _site(usage: Usage) -> Site:
    """Of a usage that has not been asked yet."""
    return Site(usage.place, usage.expression, usage.calls, usage.reader.level)


def places(found: Sequence[Any], names: Names) -> tuple[Iterable[Any], Iterable[Any], Iterable[Any]]:
    """File, line and column of each; nothing where there is no place."""
    if not found:
        return (), (), ()
    if not all(found):
        files, lines, columns = zip(*(_place(place, names) for place in found), strict=True)
        return files, lines, columns
    files, lines, columns = zip(*found, strict=True)
    return map(names.files.__getitem__, files), lines, columns


def _place(place: Place | None, names: Names) -> tuple[int | None, int | None, int | None]:
    return (names.files[place.file], place.line, place.column) if place is not None else (None, None, None)


# -- the other facts -------------------------------------------------------------------------------------------------


def dataset_infos(extraction: Extraction, names: Names) -> list[Fact]:
    return [
        (
            names.datasets[known], plain(info.kind), int(info.complete), plain(info.description),
            *_place(info.place, names), rest_of(info),
        )
        for known, info in extraction.datasets.items()
    ]  # fmt: skip


def column_infos(extraction: Extraction, names: Names) -> list[Fact]:
    return [
        (
            names.datasets[known], position, plain(column.name), plain(column.type), plain(column.description),
            listed(column.classification), *_place(column.place, names), int(column.quoted), int(not column.inherits),
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


def jobs(extraction: Extraction, names: Names) -> list[Fact]:
    return [(plain(job.name), job_out(job)) for job in extraction.jobs]


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
    "jobs": jobs,
    "diagnostics": diagnostics,
    "occurrences": occurrences,
}
