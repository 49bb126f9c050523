"""The walk over a plan: an operator's frame is made of the frames of its children.

Each function finds the expressions and outputs of its operator; the verb of `algebra/relation.py`
that it calls says what the operator means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.tree import Node

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan

Operator = Callable[[Node, "Scope | None", "Plan"], Frame]
"""operator(node, outer, plan)

node: the operator; outer: the query around a subquery; plan: what the walk carries.
"""

OPERATORS: dict[str, Operator] = {}
"""The function that reads an operator, by the short name of Spark's class; the package fills it."""

ANY_OTHER = ""
"""The name under which `OPERATORS` has the reader of an operator that nobody knows."""


def frame_of(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """Read an operator: the columns and rows that it puts out."""
    read = OPERATORS.get(node.name)
    if read is None:
        read = OPERATORS[ANY_OTHER]

    return read(node, outer, plan)


def frame_below(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """Read the only child of an operator."""
    return frame_of(node.children[0], outer, plan)


def frames_below(node: Node, outer: Scope | None, plan: Plan) -> list[Frame]:
    """Read all children of an operator."""
    return [frame_of(child, outer, plan) for child in node.children]
