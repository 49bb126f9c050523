"""The columns that an operator puts out, and the conditions that it sees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.relation import Title, narrow, refer_to, values
from lineal.extract.catalyst.expressions import Scope, expressions_over, lineage_with_parts
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import Way

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan


def output_slot(node: Node, scope: Scope) -> Slot:
    """One output column: an attribute passes through, an alias is new."""
    if node.name == "AttributeReference":
        return scope.find_attribute(node)

    return Slot(*output_title(node), lineage_with_parts(node, scope))


def output_slots(nodes: Iterable[Node], scope: Scope) -> Iterable[Slot]:
    """The output columns, each read when the verb asks for it."""
    return (output_slot(node, scope) for node in nodes)


def output_title(output: Node) -> Title:
    """a#12      the name of an output, and the id that later operators know it by"""
    return str(output.args.get("name", "")), expression_id(output.args)


def narrow_child(
    frame: Frame, clause: Way, conditions: list[Node], outer: Scope | None, plan: Plan
) -> Frame:
    """The conditions of an operator see the columns of its child."""
    return narrow(
        frame, clause, expressions_over(Scope(frame, outer, plan, clause.clause), conditions)
    )


def refer_to_outputs(frame: Frame | None, outputs: list[Node]) -> Frame:
    """The columns of a definition under the ids of one of its references."""
    titles = map(output_title, outputs)
    if frame is None:
        return values(titles)

    return refer_to(frame, titles)
