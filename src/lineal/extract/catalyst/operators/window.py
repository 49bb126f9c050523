"""Window: SELECT *, sum(a) OVER (PARTITION BY b)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.relation import extend
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.operators.outputs import output_slots
from lineal.extract.catalyst.operators.walk import frame_below
from lineal.extract.catalyst.tree import Node

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_window(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SELECT *, sum(a) OVER (PARTITION BY b)"""
    child = frame_below(node, outer, plan)
    return extend(child, output_slots(node.trees("windowExpressions"), Scope(child, outer, plan)))
