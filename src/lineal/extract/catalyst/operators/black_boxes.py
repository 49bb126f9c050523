"""Operators that run code which is not read, and those that nobody knows.

df.mapInPandas(f, schema)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage, as_expression
from lineal.algebra.relation import doubt_columns, everything_in, group, project, put_side_by_side
from lineal.extract.catalyst.expressions import Scope, expressions_over
from lineal.extract.catalyst.operators.outputs import output_title
from lineal.extract.catalyst.operators.walk import frames_below
from lineal.extract.catalyst.tree import Node
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.way import Clause, Confidence

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def black_box(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """mapInPandas(f, schema)

    any output may come from any input, grouped by the keys that the operator has
    """
    frames = frames_below(node, outer, plan)

    inputs = put_side_by_side(frames)
    doubt = Doubt(Confidence.MEDIUM, False, f"{node.name} runs code that is not read")
    lineage = everything_in(inputs.slots, doubt)
    scope = Scope(inputs, outer, plan, Clause.GROUP_BY)
    keys = [as_expression(slot.lineage) for slot in first_keys(node, frames)]
    keys += expressions_over(scope, node.trees("groupingAttributes"))
    return group(inputs, keys, slots_with(node.trees_of(OUTPUTS), lineage))


def slots_with(outputs: list[Node], lineage: Lineage) -> list[Slot]:
    """The outputs of an operator, all of the same lineage."""
    return [Slot(*output_title(output), lineage) for output in outputs]


def first_keys(node: Node, frames: list[Frame]) -> Iterable[Slot]:
    """a.groupBy("k").cogroup(b.groupBy("k"))      the keys of a child are its first columns"""
    for sides, frame in zip(KEYS_FIRST, frames, strict=False):
        yield from frame.slots[: sum(int(node.args.get(side, 0)) for side in sides)]


KEYS_FIRST = (
    ("leftGroupingLen", "groupingAttributesLen"),
    ("rightGroupingLen", "initGroupingAttrsLen"),
)
"""a.groupBy("k").cogroup(b.groupBy("k")), transformWithState

how many of a child's first columns are its keys
"""


OUTPUTS = ("output", "outAttributes", "outputAttrs")
"""The fields of operators that list the columns a function makes."""


def object_operator(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """map, flatMap, mapPartitions on objects      the serializer names the outputs"""
    inputs = put_side_by_side(frames_below(node, outer, plan))
    outputs = node.trees("serializer")
    if not outputs:
        return inputs

    doubt = Doubt(Confidence.MEDIUM, False, "made by code that is not read")
    return project(inputs, slots_with(outputs, everything_in(inputs.slots, doubt)))


def unknown_operator(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """An operator that is not in the table: all outputs from all inputs, and a diagnostic that
    names it.
    """
    plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the operator {node.name} of the plan is not known")
    if node.trees("output"):
        return black_box(node, outer, plan)

    inputs = put_side_by_side(frames_below(node, outer, plan))
    doubt = Doubt(Confidence.MEDIUM, False, f"the operator {node.name} is not known")
    return doubt_columns(inputs, doubt)
