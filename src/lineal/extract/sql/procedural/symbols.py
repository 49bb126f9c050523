"""Symbols: they stand for large values of variables, until a statement needs the values.

SET @v = @v + (SELECT …), n times

Each of the assignments has the influences of all before it, which are n² in all. A symbol for those
before is one influence. Where a statement writes @v, the symbols are followed, each of them once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame, Scan, Slot
from lineal.algebra.lineage import Lineage, Trail, absorb, pour, united
from lineal.algebra.relation import substitute
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.procedural.flow import Held, Moment, Ref, few, queries_left
from lineal.extract.sql.sources import field_of
from lineal.model.edge import Column, Dataset
from lineal.model.way import IDENTITY, Confidence, Way

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.values import Values

MOST_INFLUENCES = 32
"""A symbol stands for a value that has more."""

SYMBOLS = Dataset("", "\0symbols")
"""The origin of a symbol."""


class Symbols:
    """The symbols of one body."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.lineages: dict[Held, Lineage] = {}
        self.held: list[Held] = []
        self.followed: dict[Column, Lineage] = {}
        """what symbols stand for in the end, if it is little"""

    def at(self, key: str, moment: Moment, evaluation: Evaluation) -> Lineage | None:
        """What a variable holds at a moment, with symbols; None where no symbol is needed."""
        held = self.values.body.held(key, moment)
        refs = self.refs_of(held)
        large = self.large_of(held, refs, evaluation)
        if not large:
            return None

        self.values.used.use([each for each in held if not isinstance(each, Ref)], evaluation)
        self.values.used.use([ref.assignment for ref in refs], evaluation)
        return united(self.lineages_of(refs, large, moment, evaluation))

    def refs_of(self, held: Iterable[Held]) -> list[Ref]:
        """The assignments among the things that a variable may hold."""
        refs = (each for each in held if isinstance(each, Ref))
        return [own for ref in refs for own in self.values.of_triggers(ref)]

    def large_of(
        self, held: Iterable[Held], refs: Iterable[Ref], evaluation: Evaluation
    ) -> list[Held]:
        """The things for which symbols stand."""
        found: list[Held] = [each for each in held if not isinstance(each, Ref)]
        for ref in refs:
            self.values.settle(ref.assignment, evaluation)
            if self.is_large(ref):
                found.append(ref)
        return found

    def is_large(self, ref: Ref) -> bool:
        """Whether a symbol stands for a value; once it does, it always does."""
        if ref in self.lineages:
            return True

        frame = self.values.part(ref)
        if len(frame.slots) > 1:  # EXECUTE … USING NEW: $1 is a row, whose fields are told apart
            return False

        return sum(len(slot.lineage) for slot in frame.slots) + len(frame.rows) > MOST_INFLUENCES

    def lineages_of(
        self, refs: Sequence[Ref], large: Sequence[Held], moment: Moment, evaluation: Evaluation
    ) -> list[Lineage]:
        """The values that a variable may hold at a moment, symbols for the large ones."""
        rows_of = set(moment.queries)
        small = [ref for ref in refs if ref not in large or ref.assignment in rows_of]
        found = [whole_of(frame) for frame, _ in self.values.held_of(small, moment, evaluation)]
        for each in large:
            home = each.assignment.moment if isinstance(each, Ref) else each.moment
            if isinstance(each, Ref) and each.assignment in rows_of:
                continue

            found.append(self.symbol(each))
            left = queries_left(home, moment)
            found += [self.values.of(query, evaluation).rows for query in left]

        return found

    def symbol(self, held: Held) -> Lineage:
        """The symbol of a value, as a lineage."""
        known = self.lineages.get(held)
        if known is None:
            column = Column(SYMBOLS, str(len(self.held)))
            self.held.append(held)
            self.lineages[held] = known = {(column, IDENTITY): None}
        return known

    # -- where a statement needs the values --------------------------------------------------------

    def put_values(self, frame: Frame, evaluation: Evaluation) -> Frame:
        """A frame with values in place of their symbols."""
        if not self.held or isinstance(frame, Scan):
            return frame

        return substitute(frame, lambda lineage: self.follow(lineage, evaluation))

    def follow(self, lineage: Lineage, evaluation: Evaluation) -> Lineage:
        """A lineage with values in place of their symbols."""
        if not any(origin.dataset is SYMBOLS for origin, _ in lineage):
            return lineage

        found: Lineage = {}
        for (origin, way), trail in lineage.items():
            if origin.dataset is not SYMBOLS:
                absorb({(origin, way): trail}, found)
                continue

            inside: Lineage = {}
            pour(self.behind(origin, evaluation), way, inside)
            for key, inner in inside.items():
                absorb({key: join_trails(trail, inner)}, found)

        return found

    def behind(self, symbol: Column, evaluation: Evaluation) -> Lineage:
        """All that a symbol stands for.

        The trail of an influence is that of the nearest assignment that has it. The assignments on
        the way there leave no trace: those of n influences would be n².
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
            inside: Lineage = {}
            pour(self.followed.get(reached) or self.value_of(reached, evaluation), way, inside)
            for (origin, inner), trail in inside.items():
                least = less_certain(outer, trail)
                if origin.dataset is SYMBOLS:
                    waiting.append((origin, inner, least))
                else:
                    absorb({(origin, inner): doubt_as(trail, least)}, found)

        if len(found) <= MOST_INFLUENCES and not self.values.active:
            self.followed[symbol] = found
        return found

    def value_of(self, symbol: Column, evaluation: Evaluation) -> Lineage:
        """What a symbol stands for, with further symbols in it."""
        held = self.held[int(symbol.name)]
        if isinstance(held, Ref):
            whole = whole_of(self.values.part(held))
        else:
            those = list(few(held.held))
            refs = self.refs_of(those)
            large = self.large_of(those, refs, evaluation)
            whole = united(self.lineages_of(refs, large, held.moment, evaluation))

        if symbol.path:
            whole = field_of(Slot("", "", whole), list(symbol.path), None).lineage  # type: ignore[arg-type]
        return whole


def whole_of(frame: Frame) -> Lineage:
    """All that a value is made of: its columns, and what decides its rows."""
    return united([*(slot.lineage for slot in frame.slots), frame.rows])


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
