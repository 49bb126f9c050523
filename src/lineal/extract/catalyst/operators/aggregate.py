"""Aggregate: SELECT a, sum(b) FROM t GROUP BY a."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.relation import group, project
from lineal.extract.catalyst.expressions import Scope, expressions_over, influences_of
from lineal.extract.catalyst.operators.outputs import output_slots
from lineal.extract.catalyst.operators.walk import frame_below, frame_of
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import IDENTITY, Clause

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_aggregate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """GROUP BY a; the grouping below a pivot is the engine's own"""
    items = node.trees("aggregateExpressions")
    pivots = any(item.contains("PivotFirst") for item in items)
    below = node.children[0]
    if pivots and below.name == "Aggregate":
        child = without_grouping(below, outer, plan)
    else:
        child = frame_of(below, outer, plan)

    keys = node.trees("groupingExpressions")
    grouped_by = expressions_over(Scope(child, outer, plan, Clause.GROUP_BY), keys)
    return group(child, grouped_by, grouped_slots(items, keys, Scope(child, outer, plan), plan))


def grouped_slots(items: list[Node], keys: list[Node], scope: Scope, plan: Plan) -> Iterable[Slot]:
    """The output columns of a grouping, which may name its keys by their bits."""
    remember_grouping(keys, scope, plan)
    yield from output_slots(items, scope)


def without_grouping(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """Return the frame of an Aggregate that Spark added: its rows are not grouped by the query."""
    child = frame_below(node, outer, plan)
    return project(
        child, output_slots(node.trees("aggregateExpressions"), Scope(child, outer, plan))
    )


def remember_grouping(keys: list[Node], scope: Scope, plan: Plan) -> None:
    """GROUPING(a)

    reads a bit of spark_grouping_id, the last key: which key each bit stands for
    """
    if keys and keys[-1].args.get("name") == "spark_grouping_id":
        lineages = [influences_of(key, IDENTITY, scope) for key in keys[:-1]]
        plan.grouping[expression_id(keys[-1].args)] = lineages
