"""Which statement an edge comes from.

Extractions unite what several statements say about one pair of columns; a store keeps them apart. A
statement is known by its target, its file and its number among those of that file with that target:
so it stays the same when lines move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from lineal.model.diagnostic import Place
from lineal.model.edge import Column, Dataset, Edge, Usage
from lineal.model.statement import Statement

Key = tuple[Dataset, str, int]

NOWHERE = Place("", 0, 0)


class Part(NamedTuple):
    """The part of an edge that comes from one statement: some of its usages, with their positions."""

    edge: Edge
    statement: Key | None
    positions: Sequence[int]


class Statements:
    """The statements of an extraction, by what they write."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.keys: list[Key] = []
        self.by_target: dict[Dataset, list[tuple[Place, Key]]] = {}
        counted: dict[tuple[Dataset, str], int] = {}
        for statement in statements:
            place = statement.place or NOWHERE
            number = counted[statement.target, place.file] = (
                counted.get((statement.target, place.file), 0) + 1
            )
            key = (statement.target, place.file, number)
            self.keys.append(key)
            self.by_target.setdefault(statement.target, []).append((place, key))

        self.several = {target for target, known in self.by_target.items() if len(known) > 1}

    def only(self, target: Dataset) -> Key | None:
        """The one statement that writes the target."""
        known = self.by_target.get(target)
        if known:
            return known[0][1]

        return None

    def at(self, target: Dataset, place: Place | None) -> Key:
        """Return the statement at a place: the last one of its file that begins before."""
        known = self.by_target[target]
        if place is None:
            return known[0][1]

        before = [
            (at, key)
            for at, key in known
            if at.file == place.file and (at.line, at.column) <= place[1:]
        ]
        if before:
            return max(before)[1]

        return next((key for at, key in known if at.file == place.file), known[0][1])

    def parts(self, edge: Edge) -> list[Part]:
        """An edge that several statements may have given, by statement."""
        target = edge.into
        found: dict[Key, list[int]] = {}
        for position, usage in enumerate(edge.usages):
            found.setdefault(self.at(target, usage.place), []).append(position)

        if not found:
            return [Part(edge, self.only(target), ())]

        return [
            Part(_with_usages(edge, positions), key, positions) for key, positions in found.items()
        ]


def _with_usages(edge: Edge, positions: list[int]) -> Edge:
    """Return an edge with only the usages at these positions."""
    return Edge(edge.source, edge.target, tuple(edge.usages[position] for position in positions))


def unite_usages(edges: Iterable[Edge]) -> list[Edge]:
    """Two edges between one pair are one."""
    found: dict[tuple[Column, Column | Dataset], list[tuple[Usage, ...]]] = {}
    for edge in edges:
        found.setdefault((edge.source, edge.target), []).append(edge.usages)

    return [Edge(*ends, tuple(chain.from_iterable(several))) for ends, several in found.items()]
