"""MergeRows: MERGE … WHEN NOT MATCHED THEN INSERT …"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.clauses import FILTERS
from lineal.algebra.frame import Frame
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import repeat
from lineal.extract.catalyst.expressions import Scope, influences_of
from lineal.extract.catalyst.operators.outputs import narrow_child, output_title
from lineal.extract.catalyst.operators.walk import frame_below
from lineal.extract.catalyst.tree import Node
from lineal.model.way import IDENTITY

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_merge_rows(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """MERGE … WHEN NOT MATCHED AND a THEN INSERT … WHEN NOT MATCHED THEN INSERT …

    rows of either, by position
    """
    child = frame_below(node, outer, plan)
    scope = Scope(child, outer, plan)
    outputs = node.trees("output")
    conditions: list[Node] = []
    found: list[list[Lineage]] = [[] for _ in outputs]
    for keep in node.trees("notMatchedInstructions"):
        condition, *inserted = keep.children
        conditions.append(condition)
        for lineages, value in zip(found, inserted, strict=False):
            lineages.append(influences_of(value, IDENTITY, scope))

    kept = narrow_child(child, FILTERS, conditions, outer, plan)
    return repeat(kept, zip(map(output_title, outputs), found, strict=True))
