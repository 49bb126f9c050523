"""Attributes, variables and constants, and what leaves a value as it is.

SELECT a, a AS b, outer(a), v, 1
"""

from __future__ import annotations

from lineal.algebra.expression import when
from lineal.algebra.lineage import pour
from lineal.extract.catalyst.expressions.stack import Calls, Visit, push_children
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way


def attribute_reference(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """a#12; spark_grouping_id#13      the keys of the grouping decide it"""
    slot = visit.scope.find_attribute(node)
    for lineage in visit.scope.plan.grouping.get(slot.key, ()):
        pour(lineage, when(way), visit.into, None, calls)

    pour(slot.lineage, way, visit.into, node, calls)


def variable_reference(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """v, after SET VAR v = (SELECT max(a) FROM t)      max(a)"""
    pour(
        visit.scope.plan.variable_lineage(str(node.args.get("variable", ""))),
        way,
        visit.into,
        node,
        calls,
    )


def outer_reference(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """outer(a#12)      an attribute of the query around"""
    push_children(node.trees("e"), way, calls, visit.stack)


def without_columns(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """1, current_date(), a lambda's variable      no column"""


def pass_through(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """a AS b, and what the analyzer adds without changing a value"""
    push_children(node.children, way, calls, visit.stack)


def column_in(node: Node) -> Node:
    """outer(a)      a, a column of the query around"""
    if node.name == "OuterReference":
        return node.trees("e")[0]

    return node
