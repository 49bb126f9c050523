"""Joins: a JOIN b ON …, a JOIN LATERAL (…), the nearest row, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.lineage import Expression
from lineal.algebra.relation import join, put_side_by_side
from lineal.extract.catalyst.expressions import Scope, expressions_over
from lineal.extract.catalyst.operators.walk import frames_below
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Clause

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN b ON …; of LEFT SEMI and LEFT ANTI only a remains"""
    sides = frames_below(node, outer, plan)
    only_first = join_type(node) in ("LeftSemi", "LeftAnti")
    return join(sides, conditions_of(node, ("condition",), outer, plan), only_first)


def conditions_of(
    node: Node, fields: Iterable[str], outer: Scope | None, plan: Plan
) -> Callable[[Frame], list[Expression]]:
    """Return the expressions of a join's condition, over the columns of both sides."""

    def expressions(both: Frame) -> list[Expression]:
        """Return the join's conditions, resolved over both sides together."""
        scope = Scope(both, outer, plan, Clause.JOIN_ON)
        return expressions_over(scope, node.trees_of(fields))

    return expressions


def read_as_of_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN b, the nearest row by time or by another measure"""
    sides = frames_below(node, outer, plan)
    fields = ("asOfCondition", "condition", "rankingExpression")
    return join(sides, conditions_of(node, fields, outer, plan))


def read_zip(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a.zip(b)      the columns of both, row by row"""
    return put_side_by_side(frames_below(node, outer, plan))


def join_type(node: Node) -> str:
    """Return the short name of the class that says how rows meet, such as LeftSemi.

    LEFT SEMI JOIN
    """
    kind = node.args.get("joinType")
    if isinstance(kind, dict):
        name = kind.get("object") or kind.get("product-class") or ""
    else:
        name = str(kind)

    return name.rsplit(".", 1)[-1].rstrip("$")
