"""Where the attributes of an expression are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import Clause

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


class Scope:
    """The frame that attributes are looked up in, and the one around a subquery."""

    __slots__ = ("clause", "frame", "parent", "plan")

    def __init__(
        self, frame: Frame, parent: Scope | None, plan: Plan, clause: Clause = Clause.SELECT
    ) -> None:
        """Look names up in `frame` first, then in the scopes around it (`parent`)."""
        self.frame = frame
        self.parent = parent
        self.plan = plan
        self.clause = clause

    def knows_attribute(self, key: str) -> bool:
        """Tell whether an attribute is a column here or in a query around."""
        if key in self.frame.index:
            return True

        return self.parent is not None and self.parent.knows_attribute(key)

    def find_attribute(self, node: Node) -> Slot:
        """a#12      the slot with that id, here or in the query around"""
        key = expression_id(node.args)
        scope: Scope | None = self
        while scope is not None:
            slot = scope.frame.index.get(key)
            if slot is not None:
                self.note_read(slot)
                return slot

            scope = scope.parent

        return Slot(str(node.args.get("name", "")), key, NOTHING)

    def note_read(self, slot: Slot) -> None:
        """Tell the plan that this clause reads a column of a dataset."""
        if slot.scanned is not None:
            self.plan.read(slot.scanned, self.clause)
