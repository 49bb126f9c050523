"""Operators that pass rows on: the same ones, or some that no column decides.

SELECT * FROM t LIMIT 10
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.operators.walk import frame_below
from lineal.extract.catalyst.tree import Node

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


SAME_ROWS = (
    "SubqueryAlias", "GlobalLimit", "LocalLimit", "Limit", "Offset", "Tail", "Repartition", "PipeOperator",
    "RepartitionByExpression", "RebalancePartitions", "ResolvedHint", "UnresolvedHint", "CollectMetrics", "Subquery",
    "EventTimeWatermark", "WithWindowDefinition", "ReturnAnswer", "CTERelationDef", "AppendColumns", "LimitAll",
    "DeserializeToObject", "TypedFilter", "SQLFunctionNode", "Tee", "AttachDistributedSequence",
)  # fmt: skip
"""Operators that only pass rows on."""


def only_child(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SubqueryAlias, Limit, Sample, Repartition …

    the same rows or some of them, decided by no column
    """
    return frame_below(node, outer, plan)


def sample(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """randomSplit([0.5, 0.5])

    the sort below it is the engine's own: it makes the split repeatable
    """
    below = node.children[0]
    if below.name == "Sort" and below.args.get("global") is False:
        return frame_below(below, outer, plan)

    return frame_below(node, outer, plan)
