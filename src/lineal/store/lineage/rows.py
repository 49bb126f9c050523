"""An extraction as rows: columns of numbers and texts, made a whole column at a time.

A million edges pass here, so that what is done for each of them is done by `map`, `zip` and
`chain`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.edge import Doubt, Edge, Site, Usage
from lineal.model.extraction import Extraction
from lineal.model.sequences import first_of_each, second_of_each
from lineal.model.statement import Statement
from lineal.model.way import Confidence, Way
from lineal.store.lineage.database import AT_ONCE, chunks
from lineal.store.lineage.forms import job_out, rest_of
from lineal.store.lineage.numbers import Names
from lineal.store.lineage.statements import Key, Statements, unite_usages
from lineal.store.lineage.texts import all_plain, listed, storable

Fact = tuple[Any, ...]

PLACE = ("file_id", "line", "col")
FACTS: dict[str, tuple[str, ...]] = {
    "dataset_infos": ("dataset_id", "kind", "complete", "description", *PLACE, "rest"),
    "column_infos": (
        "dataset_id", "position", "name", "type", "description", "classification", *PLACE, "quoted", "own",
    ),
    "statement_infos": ("statement_id", "kind", *PLACE, "dialect", "words", "meaning"),
    "reads": ("target_id", "dataset_id", "column_name", "clause", *PLACE, "manner"),
    "jobs": ("name", "job"),
    "diagnostics": ("code", "severity", "message", *PLACE, "hint"),
    "occurrences": ("name", *PLACE, "runs", "first", "last", "users", "databases", "log_id"),
}  # fmt: skip
"""The tables of facts other than edges and usages, and their columns."""


class Apart(NamedTuple):
    """Edges, each of them given by one statement."""

    edges: list[Edge]
    statements: Statements
    keys: list[Key | None] | None
    """the statement of each; None where no target has several"""
    positions: list[int] | None
    """of each usage, among all of its pair; None where they count from 0 in each edge"""


def split_edges(given: list[Edge], statements: Statements) -> Apart:
    """Where a target has several statements: the edges of each of them, with their statements and
    positions.
    """
    if not statements.several:
        return Apart(given, statements, None, None)

    edges: list[Edge] = []
    keys: list[Key | None] = []
    positions: list[int] = []
    for edge in unite_usages(given):
        if edge.into in statements.several:
            for part in statements.parts(edge):
                edges.append(part.edge)
                keys.append(part.statement)
                positions += part.positions
        else:
            edges.append(edge)
            keys.append(statements.only(edge.into))
            positions += range(len(edge.usages))

    return Apart(edges, statements, keys, positions)


# -- all of them, batch by batch -------------------------------------------------------------------


Pairs = list[Sequence[int]]
"""The ends of edges, batch by batch."""


class Twice(Exception):
    """Two edges lead from one column to another: they have to be united first."""


def edges(
    found: Apart, names: Names, first: int, pairs: Pairs
) -> Iterator[dict[str, Sequence[Any]]]:
    """The edges, numbered one after the other."""
    for start in range(0, len(found.edges), AT_ONCE):
        some = found.edges[start : start + AT_ONCE]
        sources, targets = end_numbers(some, names)
        batch: dict[str, Sequence[Any]] = {
            "id": range(first + start, first + start + len(some)),
            "source_id": sources,
            "target_id": targets,
        }
        if found.keys is not None:
            batch["statement_id"] = _numbers_of(found.keys[start : start + AT_ONCE], names)
        elif found.statements.by_target:
            batch["statement_id"] = _numbers(some, targets, found.statements, names)

        if found.keys is None:
            pairs.append(_pairs(sources, targets))

        yield batch


def each_once(pairs: Pairs) -> None:
    """Raise Twice if two edges have the same ends."""
    met: set[int] = set().union(*pairs)
    if len(met) < sum(map(len, pairs)):
        raise Twice


def usages_of(found: Apart, names: Names, first: int) -> Iterator[dict[str, Sequence[Any]]]:
    """The usages of the edges, which are numbered one after the other."""
    done = 0
    for start in range(0, len(found.edges), AT_ONCE):
        several = [edge[2] for edge in found.edges[start : start + AT_ONCE]]
        used = list(chain.from_iterable(several))
        owners, positions = _owners_of(several, range(first + start, first + start + len(several)))
        if found.positions is not None:
            positions = found.positions[done : done + len(used)]

        done += len(used)
        if used:
            yield {"edge_id": owners, "position": positions, **usages(used, names)}


def _owners_of(
    several: list[tuple[Usage, ...]], numbers: Sequence[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """Of each usage the number of its edge, and its position there."""
    counts = list(map(len, several))
    if counts.count(1) == len(counts):
        return numbers, array("I", bytes(4 * len(counts)))

    owners = list(chain.from_iterable(map(repeat, numbers, counts)))
    return owners, list(chain.from_iterable(map(range, counts)))


def end_numbers(some: list[Edge], names: Names) -> tuple[array[int], array[int]]:
    """Return the numbers of the sources and of the targets."""
    number = names.columns.__getitem__
    sources, targets, _ = zip(*some, strict=True)
    return array("I", list(map(number, sources))), array("I", list(map(number, targets)))


def _pairs(sources: Sequence[int], targets: Sequence[int]) -> Sequence[int]:
    """Each source and its target as one number."""
    both = array("I", bytes(8 * len(sources)))
    both[0::2], both[1::2] = array("I", targets), array("I", sources)
    return memoryview(both).cast("B").cast("Q")


# -- all of them at once ---------------------------------------------------------------------------


class Lineage(NamedTuple):
    """Edges, column by column, and their usages, which are taken apart when they are asked for."""

    sources: list[int]
    targets: list[int]
    statements: list[int | None]
    owners: Sequence[int]
    """the edge of each usage, from 0"""
    positions: Sequence[int]
    several: list[tuple[Usage, ...]]

    def owner_numbers(self, ids: Sequence[int]) -> Sequence[int]:
        """The numbers of the usages' edges, from those of the edges."""
        return list(map(ids.__getitem__, self.owners))

    def usages(self, names: Names) -> dict[str, Sequence[Any]]:
        """Return the rows of all usages, column by column."""
        used: dict[str, list[Any]] = {name: [] for name in USED}
        for some in chunks(self.several, AT_ONCE):
            for name, values in usages(list(chain.from_iterable(some)), names).items():
                used[name] += values

        return dict(used)


def lineage(found: Apart, names: Names) -> Lineage:
    """Return the edges as numbers, with their statements."""
    sources: list[int] = []
    targets: list[int] = []
    for some in chunks(found.edges, AT_ONCE):
        into = end_numbers(list(some), names)
        sources += into[0]
        targets += into[1]

    several = [edge[2] for edge in found.edges]
    owners, positions = _owners_of(several, range(len(several)))
    if found.keys is not None and found.positions is not None:
        return Lineage(
            sources, targets, _numbers_of(found.keys, names), owners, found.positions, several
        )

    statements = _numbers(found.edges, targets, found.statements, names)
    made = Lineage(sources, targets, statements, owners, positions, several)
    if len(set(_pairs(sources, targets))) == len(sources):
        return made

    return _unite_usages(made)


def _unite_usages(found: Lineage) -> Lineage:
    """Each pair once, with the usages of all edges between the two."""
    pairs = list(zip(found.sources, found.targets, strict=True))
    numbers: dict[tuple[int, int], int] = {}
    edge_of = [numbers.setdefault(pair, len(numbers)) for pair in pairs]
    kept = dict(zip(pairs, found.statements, strict=True))
    owners = [edge_of[owner] for owner in found.owners]
    counted: dict[int, int] = {}
    positions = []
    for owner in owners:
        position = counted[owner] = counted.get(owner, -1) + 1
        positions.append(position)

    sources, targets = first_of_each(numbers), second_of_each(numbers)
    return Lineage(
        sources, targets, [kept[pair] for pair in numbers], owners, positions, found.several
    )


def _numbers(
    edges: list[Edge], targets: Sequence[int], statements: Statements, names: Names
) -> list[int | None]:
    """The statement of each edge, looked up once for each target."""
    if not statements.by_target:
        return [None] * len(edges)

    of: dict[int, int | None] = {}
    for target, edge in dict(zip(targets, edges, strict=True)).items():
        key = statements.only(edge.into)
        of[target] = names.statements[key] if key is not None else None

    return list(map(of.__getitem__, targets))


def _numbers_of(keys: list[Key | None], names: Names) -> list[int | None]:
    """Return the numbers of statements; None stays None."""
    return [names.statements[key] if key is not None else None for key in keys]


USED = ("way_id", "file_id", "line", "col", "expression", "calls")


def usages(found: list[Usage], names: Names) -> dict[str, Sequence[Any]]:
    """The columns of USED."""
    if not found:
        return dict.fromkeys(USED, ())

    taken, doubts, _, readers = zip(*found, strict=True)
    sites = readers if {*map(type, readers)} == {Site} else map(_site, found)
    at, texts, paths, levels = zip(*sites, strict=True)
    spelt = {path: listed(path) if path else None for path in set(paths)}
    calls = list(map(spelt.__getitem__, paths))
    columns = (ways(taken, doubts, levels, names), *places(at, names), all_plain(texts), calls)
    return dict(zip(USED, columns, strict=True))


def ways(
    taken: Sequence[Way], doubts: Sequence[Doubt | None], levels: Sequence[Confidence], names: Names
) -> list[int]:
    """Return the number of each way with its doubt and confidence."""
    if any(doubts) or len(set(levels)) > 1:
        return list(map(names.ways.__getitem__, zip(taken, doubts, levels, strict=True)))

    known = {each: names.ways[each, None, levels[0]] for each in dict.fromkeys(taken)}
    return list(map(known.__getitem__, taken))


def _site(usage: Usage) -> Site:
    """Of a usage that may not have been asked yet."""
    return Site(usage.place, usage.expression, usage.path, usage.reader.level)


def places(
    found: Sequence[Any], names: Names
) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """File, line and column of each; nothing where there is no place."""
    if not found:
        return (), (), ()

    if not all(found):
        files, lines, columns = zip(*(_place(place, names) for place in found), strict=True)
        return files, lines, columns

    files, lines, columns = zip(*found, strict=True)
    return list(map(names.files.__getitem__, files)), lines, columns


def _place(place: Place | None, names: Names) -> tuple[int | None, int | None, int | None]:
    """Return a place as numbers."""
    if place is not None:
        return (names.files[place.file], place.line, place.column)

    return (None, None, None)


# -- the other facts -------------------------------------------------------------------------------


def dataset_infos(extraction: Extraction, names: Names) -> list[Fact]:
    """Return a row for each dataset."""
    return [
        (
            names.datasets[known], storable(info.kind), int(info.complete), storable(info.description),
            *_place(info.place, names), rest_of(info),
        )
        for known, info in extraction.datasets.items()
    ]  # fmt: skip


def column_infos(extraction: Extraction, names: Names) -> list[Fact]:
    """Return a row for each column of a dataset."""
    return [
        (
            names.datasets[known], position, storable(column.name), storable(column.type), storable(column.description),
            listed(column.classification), *_place(column.place, names), int(column.quoted), int(not column.inherits),
        )
        for known, info in extraction.datasets.items()
        for position, column in enumerate(info.columns)
    ]  # fmt: skip


def statement_infos(extraction: Extraction, names: Names) -> list[Fact]:
    """Return a row for each statement."""
    keys = Statements(extraction.statements).keys
    return [
        (names.statements[key], *_statement(each, names))
        for key, each in zip(keys, extraction.statements, strict=True)
    ]


def _statement(each: Statement, names: Names) -> Fact:
    """Return the row of a statement."""
    place = _place(each.place, names)
    return (
        storable(each.kind),
        *place,
        storable(each.dialect),
        storable(each.words),
        storable(each.meaning),
    )


def reads(extraction: Extraction, names: Names) -> list[Fact]:
    """Return a row for each read."""
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
            [read.aggregated + 2 * read.from_variable or None for read in found],
            strict=True,
        )
    )


def jobs(extraction: Extraction, names: Names) -> list[Fact]:
    """Return a row for each job."""
    return [(storable(job.name), job_out(job)) for job in extraction.jobs]


def diagnostics(extraction: Extraction, names: Names) -> list[Fact]:
    """Return a row for each diagnostic."""
    return [
        (
            found.code.name, found.severity.label, storable(found.message), *_place(found.place, names),
            storable(found.hint),
        )
        for found in extraction.diagnostics
    ]  # fmt: skip


def occurrences(extraction: Extraction, names: Names) -> list[Fact]:
    """Return a row for each occurrence of a statement in a log."""
    return [
        (
            storable(each.name), *_place(each.place, names), each.runs, storable(each.first), storable(each.last),
            listed(each.users), listed(each.databases), storable(each.id),
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
