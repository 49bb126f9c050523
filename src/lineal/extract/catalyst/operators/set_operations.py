"""Union, Intersect, Except, Distinct: a UNION ALL b, SELECT DISTINCT a."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.clauses import DISTINCT
from lineal.algebra.frame import Frame
from lineal.algebra.relation import SetOperation, distinct, set_operation
from lineal.extract.catalyst.expressions import Scope, expressions_over
from lineal.extract.catalyst.operators.walk import frame_below, frames_below
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Clause

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_union(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a UNION ALL b      with the ids of the first"""
    return combine(SetOperation.UNION_ALL, node, outer, plan)


def read_intersect(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a INTERSECT b"""
    return combine(SetOperation.INTERSECT, node, outer, plan)


def read_except(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a EXCEPT b"""
    return combine(SetOperation.EXCEPT, node, outer, plan)


def combine(operation: SetOperation, node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """The children of an operator, as branches of a set operation."""
    return set_operation(operation, frames_below(node, outer, plan))


def read_distinct(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SELECT DISTINCT …, a UNION b"""
    return distinct(frame_below(node, outer, plan))


def read_deduplicate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """dropDuplicates(["a"])"""
    child = frame_below(node, outer, plan)
    keys = expressions_over(Scope(child, outer, plan, Clause.DISTINCT), node.trees("keys"))
    return distinct(child, keys, DISTINCT)
