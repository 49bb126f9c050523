"""Aggregates, and the functions that name the keys of a grouping.

SELECT sum(a) FILTER (WHERE b), grouping(c) FROM t GROUP BY ROLLUP (c)
"""

from __future__ import annotations

from lineal.algebra.expression import aggregate_of, when
from lineal.algebra.lineage import Lineage, pour
from lineal.extract.catalyst.expressions.calls import (
    by_function_table,
    is_aggregate,
    push_aggregate,
)
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.stack import Calls, Visit, push_children
from lineal.extract.catalyst.expressions.walk import EXPRESSIONS
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.way import Way


def aggregate_expression(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """sum(a) FILTER (WHERE b)      b: CONDITIONAL"""
    call, *conditions = node.children
    push_children(conditions, when(way), (call, calls), visit.stack)
    if call.name in EXPRESSIONS or "replacement" in call.args or is_aggregate(call):
        visit.stack.append((call, way, calls))
    else:
        push_aggregate(call, call.children, aggregate_of(way), way, calls, visit.stack)


def pivot_first(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """pivotfirst(kind, sum(a))      the pivoted column decides"""
    pivoted, pivoted_value = node.children[:2]
    visit.stack.append((pivoted_value, aggregate_of(way), calls))
    visit.stack.append((pivoted, when(way), calls))


def shift_right(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """grouping(a), as shiftright(spark_grouping_id, k)      the key at that bit decides"""
    key = key_at_bit(node, visit.scope)
    if key is None:
        by_function_table(node, node.children, way, calls, visit.stack)
    else:
        pour(key, when(way), visit.into, None, calls)


def key_at_bit(node: Node, scope: Scope) -> Lineage | None:
    """shiftright(spark_grouping_id, k)      the lineage of a key; None for any other number"""
    number, shift = node.children
    bit = str(shift.args.get("value"))
    if number.name != "AttributeReference" or not bit.isdigit():
        return None

    keys = scope.plan.grouping.get(expression_id(number.args))
    if keys is None:
        return None

    return keys[len(keys) - 1 - int(bit)]
