"""LateralJoin: a JOIN LATERAL (SELECT … FROM b WHERE b.id = a.id)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.relation import join, project
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.operators.join import conditions_of
from lineal.extract.catalyst.operators.outputs import output_slots
from lineal.extract.catalyst.operators.walk import frame_below, frame_of
from lineal.extract.catalyst.tree import Node
from lineal.model.sequences import flatten
from lineal.model.way import Clause

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_lateral_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN LATERAL (SELECT … FROM b WHERE b.id = a.id)"""
    left = table_argument(node.children[0], outer, plan) or frame_below(node, outer, plan)
    scope = Scope(left, outer, plan, Clause.LATERAL)
    right = flatten(plan.frames_of(lateral, scope) for lateral in node.trees("right"))
    return join([left, *right], conditions_of(node, ("condition",), outer, plan))


def table_argument(node: Node, outer: Scope | None, plan: Plan) -> Frame | None:
    """f(TABLE(t) PARTITION BY a ORDER BY b)

    the rows of t as structs: the sort below says how f is fed, no more
    """
    below = node
    if node.name == "SubqueryAlias":
        below = node.children[0]

    items = below.trees("projectList")
    sorts = below
    if below.name == "Project" and len(items) == 1 and items[0].contains("CreateNamedStruct"):
        sorts = below.children[0]

    if sorts.name != "Sort" or not sorts.children[0].name.startswith("Repartition"):
        return None

    child = frame_of(sorts.children[0], outer, plan)
    return project(child, output_slots(items, Scope(child, outer, plan)))
