"""Filter and Sort: WHERE a > 1, ORDER BY b."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.clauses import FILTERS, SORTS
from lineal.algebra.frame import Frame
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.operators.outputs import narrow_child
from lineal.extract.catalyst.operators.time_windows import time_window_in
from lineal.extract.catalyst.operators.walk import frame_below, frame_of
from lineal.extract.catalyst.tree import Node

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_filter(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WHERE a > 1; the engine's own test of a time window is none"""
    below = node.children[0]
    if time_window_in(below) in ("Expand window", "Project session_window"):
        return frame_of(below, outer, plan)

    return narrow_child(frame_of(below, outer, plan), FILTERS, node.trees("condition"), outer, plan)


def read_sort(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """ORDER BY a"""
    return narrow_child(frame_below(node, outer, plan), SORTS, node.trees("order"), outer, plan)
