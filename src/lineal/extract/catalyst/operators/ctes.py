"""CTEs: WITH c AS (…), WITH RECURSIVE c AS (…)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame
from lineal.algebra.relation import recurse, rename
from lineal.extract.catalyst.expressions import Scope
from lineal.extract.catalyst.operators.outputs import refer_to_outputs
from lineal.extract.catalyst.operators.walk import frame_below, frame_of
from lineal.extract.catalyst.tree import Node

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def read_with_cte(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WITH c AS (…) …      the definitions first, then the query"""
    *definitions, query = node.children
    for definition in definitions:
        plan.ctes[definition.args["id"]] = frame_below(definition, outer, plan)

    return frame_of(query, outer, plan)


def read_cte_reference(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM c, which WITH has defined"""
    return refer_to_outputs(plan.ctes.get(node.args["cteId"]), node.trees("output"))


def read_union_loop(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WITH RECURSIVE c AS (anchor UNION ALL step FROM c)"""
    anchor, again = node.children

    def step(frame: Frame) -> Frame:
        """Return the frame of one more round, which reads the rows of the round before."""
        plan.loops[node.args["id"]] = frame
        return frame_of(again, outer, plan)

    frame = recurse(frame_of(anchor, outer, plan), step)
    ids = node.args.get("outputAttrIds") or []
    keys = [f"#{item['id']}" for item in ids if isinstance(item, dict) and "id" in item]
    if len(keys) != len(frame.slots):
        return frame

    return rename(frame, [(slot.name, key) for slot, key in zip(frame.slots, keys, strict=True)])


def read_union_loop_reference(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM c inside the definition of c"""
    return refer_to_outputs(plan.loops.get(node.args["loopId"]), node.trees("output"))
