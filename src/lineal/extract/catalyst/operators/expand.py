"""Expand: each input row once per projection.

SELECT a, b, sum(c) FROM t GROUP BY ROLLUP (a, b)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import repeat
from lineal.extract.catalyst.expressions import Scope, influences_of
from lineal.extract.catalyst.operators.outputs import output_title
from lineal.extract.catalyst.operators.walk import frame_below
from lineal.extract.catalyst.tree import Node
from lineal.model.way import IDENTITY

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_expand(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """ROLLUP (a, b), UNPIVOT, window(t, …)

    each input row once per projection; an output takes its item of each
    """
    child = frame_below(node, outer, plan)
    titles = map(output_title, node.trees("output"))
    if node.trees("projections"):
        return repeat(
            child, zip(titles, projected_lineages(node, Scope(child, outer, plan)), strict=True)
        )

    return repeat(child, zip(titles, passed_lineages(node, child), strict=True))


def projected_lineages(node: Node, scope: Scope) -> Iterator[list[Lineage]]:
    """The lineages of each output: one for each projection."""
    outputs, items = node.trees("output"), node.trees("projections")
    for position in range(len(outputs)):
        yield [influences_of(item, IDENTITY, scope) for item in items[position :: len(outputs)]]


def passed_lineages(node: Node, child: Frame) -> Iterator[list[Lineage]]:
    """The lineages of each output in a plan that Spark's own toJSON has written without projections.

    A grouping puts out its child's columns, and then spark_grouping_id.
    """
    for position in range(len(node.trees("output"))):
        yield [slot.lineage for slot in child.slots[position : position + 1]]
