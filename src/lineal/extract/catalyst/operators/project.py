"""Project: SELECT a, b + 1 AS c."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.relation import project
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.operators.outputs import output_slots
from lineal.extract.catalyst.operators.time_windows import time_window_in
from lineal.extract.catalyst.operators.walk import frame_of
from lineal.extract.catalyst.tree import Node

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_project(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SELECT a, b + 1 AS c"""
    below = node.children[0]
    if below.name == "Filter" and time_window_in(node) == "Project window":
        below = below.children[0]  # what has no time is in no window: the engine's own filter

    child = frame_of(below, outer, plan)
    return project(child, output_slots(node.trees("projectList"), Scope(child, outer, plan)))
