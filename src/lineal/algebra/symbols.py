"""Symbols: a name for a large lineage that many others have in them.

WITH a AS (…), b AS (SELECT x FROM a UNION SELECT …), c AS (SELECT x FROM b UNION SELECT …), …

Each column has the influences of all before it, which are n² for n relations. A symbol for those
before is one influence. Where the result is known, the symbols are followed, each of them once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque

from lineal.algebra.frame import Frame, Piped, Scan, Slot
from lineal.algebra.lineage import Lineage, Trail, absorb, pour
from lineal.algebra.relation import substitute
from lineal.algebra.values import read_part
from lineal.model.edge import Column, Dataset
from lineal.model.way import IDENTITY, Confidence, Way

MOST_SHARED = 128
"""A lineage of a relation that has more influences gets a symbol."""

MOST_IN_STATE = 64
"""A column of a temporary table that has more influences gets a symbol."""

LITTLE = 32
"""So many influences of a symbol are remembered."""


class SymbolTable(ABC):
    """The symbols of one dataset that no input can name, and what they stand for."""

    def __init__(self, home: Dataset) -> None:
        self.home = home
        self.followed: dict[Column, Lineage] = {}
        """the lineage that each symbol finally means, if it is small"""

    @abstractmethod
    def value_of(self, symbol: Column) -> Lineage:
        """Return the lineage that a symbol represents, with further symbols in it."""

    def is_final(self) -> bool:
        """Whether what symbols stand for stays as it is."""
        return True

    def is_symbol(self, origin: Column) -> bool:
        """Whether an origin is a symbol that is to be followed."""
        return origin.dataset is self.home

    def put_values(self, frame: Frame) -> Frame:
        """A frame with values in place of their symbols."""
        if isinstance(frame, Scan):
            return frame

        return substitute(frame, self.follow)

    def follow(self, lineage: Lineage) -> Lineage:
        """A lineage with values in place of their symbols."""
        if not any(self.is_symbol(origin) for origin, _ in lineage):
            return lineage

        found: Lineage = {}
        for (origin, way), trail in lineage.items():
            if not self.is_symbol(origin):
                absorb({(origin, way): trail}, found)
                continue

            for key, inner in compose_lineage(self.behind(origin), way).items():
                absorb({key: join_trails(trail, inner)}, found)

        return found

    def behind(self, symbol: Column) -> Lineage:
        """All that a symbol stands for.

        The trail of an influence is that of the nearest lineage that has it. The lineages on the
        way there leave no trace: those of n influences would be n².
        """
        known = self.followed.get(symbol)
        if known is not None:
            return known

        found: Lineage = {}
        seen: dict[tuple[Column, Way], Confidence] = {}
        waiting: deque[tuple[Column, Way, Trail | None]] = deque([(symbol, IDENTITY, None)])
        while waiting:
            reached, way, outer = waiting.popleft()
            level = confidence_of(outer)
            if (reached, way) in seen and seen[reached, way] >= level:
                continue

            seen[reached, way] = level
            value = self.followed.get(reached)
            if value is None:
                value = self.value_of(reached)

            for (origin, inner), trail in compose_lineage(value, way).items():
                least = less_certain(outer, trail)
                if self.is_symbol(origin):
                    waiting.append((origin, inner, least))
                else:
                    absorb({(origin, inner): doubt_as(trail, least)}, found)

        if len(found) <= LITTLE and self.is_final():
            self.followed[symbol] = found

        return found


class SharedLineages(SymbolTable):
    """The large lineages of the relations that a statement names, or of the states of a table."""

    def __init__(self, home: Dataset, most: int) -> None:
        super().__init__(home)
        self.most = most
        """a lineage with more influences gets a symbol"""
        self.lineages: list[Lineage] = []
        self.first = 0
        """the first symbol that is to be followed: those before it belong to a query around"""

    def is_symbol(self, origin: Column) -> bool:
        """Whether an origin is a symbol of the current query, or of one in it."""
        return origin.dataset is self.home and int(origin.name) >= self.first

    def is_final(self) -> bool:
        """Whether no symbol is left."""
        return self.first == 0

    def value_of(self, symbol: Column) -> Lineage:
        """A lineage, or a part of what it is the lineage of."""
        lineage = self.lineages[int(symbol.name)]
        return read_part(lineage, symbol.path) if symbol.path else lineage

    def share(self, frame: Frame) -> Frame:
        """A relation that a query names, with symbols for its large lineages."""
        if isinstance(frame, (Scan, Piped)):
            return frame

        if not any(map(self.is_large, frame.slots)) and len(frame.rows) <= self.most:
            return frame

        return substitute(frame, self.symbol)

    def is_large(self, slot: Slot) -> bool:
        """Whether a column has so many influences that a symbol pays."""
        return len(slot.lineage) > self.most

    def symbol(self, lineage: Lineage) -> Lineage:
        """The symbol of a large lineage; any other as it is."""
        if len(lineage) <= self.most or lineage.__class__ is not dict:
            return lineage

        self.lineages.append(lineage)
        return {(Column(self.home, str(len(self.lineages) - 1)), IDENTITY): None}


def share_relations() -> SharedLineages:
    """WITH c AS (…), d AS (SELECT … FROM c)      symbols for what a statement names"""
    return SharedLineages(SHARED, MOST_SHARED)


def share_states() -> SharedLineages:
    """UPDATE #t SET a = a + …; UPDATE #t SET a = a + …      symbols for what #t holds between them"""
    return SharedLineages(STATES, MOST_IN_STATE)


SHARED = Dataset("", "\0shared")
"""The origin of the symbols for relations."""

STATES = Dataset("", "\0states")
"""The origin of the symbols for the states of temporary tables."""


def compose_lineage(lineage: Lineage, way: Way) -> Lineage:
    """A lineage under one more way; under IDENTITY it stays the same."""
    if way is IDENTITY:
        return lineage

    found: Lineage = {}
    pour(lineage, way, found)
    return found


def confidence_of(trail: Trail | None) -> Confidence:
    """How certain an influence is."""
    doubt = trail[3] if trail is not None else None
    return doubt.level if doubt is not None else Confidence.HIGH


def less_certain(outer: Trail | None, inner: Trail | None) -> Trail | None:
    """Of two trails the one that is less certain."""
    return outer if confidence_of(outer) <= confidence_of(inner) else inner


def doubt_as(trail: Trail | None, other: Trail | None) -> Trail | None:
    """A trail that is as certain as another one."""
    doubt = other[3] if other is not None else None
    if trail is None:
        return None if doubt is None else (None, None, None, doubt)

    return (*trail[:3], doubt)


def join_trails(outer: Trail | None, inner: Trail | None) -> Trail | None:
    """A trail that goes on with another one where it ends."""
    if outer is None:
        return inner

    least = less_certain(outer, inner)
    doubt = least[3] if least is not None else None
    return (outer[0], outer[1], join_trails(outer[2], inner), doubt)
