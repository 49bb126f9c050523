"""Subqueries in expressions.

SELECT (SELECT max(a) FROM t), EXISTS (SELECT 1 FROM t)
"""

from __future__ import annotations

from lineal.algebra.relation import take_existence, take_value
from lineal.extract.catalyst.expressions.stack import Calls, Visit
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way


def subquery_value(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """(SELECT max(a) FROM t WHERE b)      the value composes, the rows keep their own subtype"""
    for frame in visit.scope.plan.frames_of(node, visit.scope):
        take_value(frame, way, visit.into, visit.into, calls)


def exists_subquery(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """EXISTS (…)      no value, only the rows count"""
    for frame in visit.scope.plan.frames_of(node, visit.scope):
        take_existence(frame, visit.into)
