"""Symbols: they stand for large values of variables, until a statement needs the values.

SET @v = @v + (SELECT …), n times

Each of the assignments has the influences of all before it, which are n² in all. A symbol for those
before is one influence. Where a statement writes @v, the symbols are followed, each of them once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.lineage import Lineage, unite_lineages
from lineal.algebra.symbols import SymbolTable
from lineal.algebra.values import read_part
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.procedural.flow import Held, Moment, Ref, expand_if_few, queries_left
from lineal.model.edge import Column, Dataset
from lineal.model.sequences import flatten
from lineal.model.way import IDENTITY

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.values import Values

MOST_INFLUENCES = 32
"""A symbol stands for a value that has more."""

SYMBOLS = Dataset("", "\0symbols")
"""The origin of a symbol."""


class Symbols(SymbolTable):
    """The symbols of one body."""

    def __init__(self, values: Values) -> None:
        """Start a scope in which each variable is a symbol for its values."""
        super().__init__(SYMBOLS)
        self.values = values
        self.lineages: dict[Held, Lineage] = {}
        self.held: list[Held] = []
        self.user: Evaluation | None = None
        """the statement that needs the values"""

    def at(self, key: str, moment: Moment, evaluation: Evaluation) -> Lineage | None:
        """Return the value of a variable at a moment, with symbols; None if no symbol is needed."""
        held = self.values.body.values_at(key, moment)
        refs = self.refs_of(held)
        large = self.large_of(held, refs, evaluation)
        if not large:
            return None

        self.values.used.use([each for each in held if not isinstance(each, Ref)], evaluation)
        self.values.used.use([ref.assignment for ref in refs], evaluation)
        return unite_lineages(self.lineages_of(refs, large, moment, evaluation))

    def refs_of(self, held: Iterable[Held]) -> list[Ref]:
        """The assignments among the things that a variable may hold."""
        refs = (each for each in held if isinstance(each, Ref))
        return flatten(map(self.values.of_triggers, refs))

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
        found = [whole_of(frame) for frame, _ in self.values.frames_of(small, moment, evaluation)]
        for each in large:
            home = each.assignment.moment if isinstance(each, Ref) else each.moment
            if isinstance(each, Ref) and each.assignment in rows_of:
                continue

            found.append(self.symbol(each))
            left = queries_left(home, moment)
            found += [self.values.frame_of(query, evaluation).rows for query in left]

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

    def is_final(self) -> bool:
        """Whether no assignment is being evaluated at the moment."""
        return not self.values.active

    def value_of(self, symbol: Column) -> Lineage:
        """Return the value of a variable."""
        held = self.held[int(symbol.name)]
        user = self.user
        assert user is not None
        if isinstance(held, Ref):
            whole = whole_of(self.values.part(held))
        else:
            those = list(expand_if_few(held.held))
            refs = self.refs_of(those)
            large = self.large_of(those, refs, user)
            whole = unite_lineages(self.lineages_of(refs, large, held.moment, user))

        return read_part(whole, symbol.path) if symbol.path else whole

    def put_values_for(self, frame: Frame, user: Evaluation) -> Frame:
        """Replace the symbols in the frame that a statement writes by their values."""
        self.user = user
        return self.put_values(frame) if self.held else frame

    def follow_for(self, lineage: Lineage, user: Evaluation) -> Lineage:
        """Replace the symbols in the result of a function by their values."""
        self.user = user
        return self.follow(lineage) if self.held else lineage


def whole_of(frame: Frame) -> Lineage:
    """All that a value is made of: its columns, and what decides its rows."""
    return unite_lineages([*(slot.lineage for slot in frame.slots), frame.rows])
