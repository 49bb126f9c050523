"""The origins of values by the text: the columns of tables that a value is made of, through every
view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lineal.algebra.frame import slot_at
from lineal.algebra.lineage import Lineage
from lineal.extract.entries import Definition
from lineal.model.edge import Column, Dataset, open_calls
from lineal.resolve.definitions import Definitions

FOLDED = frozenset(
    ("case", "coalesce", "if", "nullif", "and", "or", "not", "greatest", "least", "concat", "in")
)
"""Calls that the planner may decide, and so lose their arguments."""


class Origin(NamedTuple):
    """A column that a value is made of."""

    column: Column
    folded: bool
    """inside something that the planner may have decided"""


class Origins:
    """The columns of tables that a column comes from, searched through views and queries."""

    def __init__(
        self, definitions: Definitions, defining: Callable[[Dataset], list[Definition]]
    ) -> None:
        self.definitions = definitions
        self.defining = defining
        """the definition of a dataset that is looked through; a table has none"""
        self.known: dict[Column, set[Origin] | None] = {}

    def origins_of(self, lineage: Lineage, definition: Definition) -> set[Origin]:
        """Return the origins of an output column of a statement."""
        found: set[Origin] = set()
        for (column, way), trail in lineage.items():
            if way.direct:
                folded = bool(FOLDED & set(open_calls(definition.reading.calls(trail))))
                found |= {
                    Origin(o.column, o.folded or folded)
                    for o in self.below(Column(column.dataset, column.name))
                }

        return found

    def below(self, column: Column) -> set[Origin]:
        """A column of a table is itself, one of a view what it is made of."""
        defining = self.defining(column.dataset)
        if not defining:
            return {Origin(column, False)}

        if column not in self.known:
            self.known[column] = None
            key = self.definitions.facts.fold(column.name, True)
            slots = [
                (slot_at(each.frame.index, key), each)
                for each in defining
                if each.frame is not None
            ]
            self.known[column] = {
                origin
                for slot, each in slots
                if slot is not None
                for origin in self.origins_of(slot.lineage, each)
            }

        return self.known[column] or set()
