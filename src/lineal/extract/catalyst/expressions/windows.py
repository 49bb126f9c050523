"""Window functions, and windows of time.

SELECT sum(a) OVER (PARTITION BY b ORDER BY c), window(t, '5 minutes').start
"""

from __future__ import annotations

from lineal.algebra.expression import over, value, window_way
from lineal.algebra.functions import Role, known
from lineal.extract.catalyst.expressions.class_names import class_function_name
from lineal.extract.catalyst.expressions.stack import Calls, Visit, push_children
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way


def window_expression(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """sum(a) OVER (PARTITION BY b ORDER BY c)      a: AGGREGATION, b, c: WINDOW"""
    inner = window_way(way)
    call, specification = node.children
    function = call
    if call.name == "AggregateExpression":
        function = call.children[0]

    keys = [child for child in specification.children if not child.name.endswith("Frame")]
    push_children(keys, over(inner), (function, calls), visit.stack)

    role = role_of(function)
    if role is Role.VALUE_AT:
        push_children(function.children, value(inner), (function, calls), visit.stack)
    elif role is not Role.RANKING:
        visit.stack.append((call, inner, calls))


def role_of(function: Node) -> Role | None:
    """The role of a class in the function table; None if it has no row."""
    row = known(class_function_name(function.name))
    if row is None:
        return None

    return row.role


def engine_time_window(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """window(t, '5 minutes').start      of the engine's arithmetic, only the time that goes in"""
    inner = [child for child in node.children if child.name != "Literal"]
    while inner and inner[0].name != node.name:
        inner = inner[0].children

    conversion = next(iter(inner), node)
    push_children(conversion.children, value(way), (node, calls), visit.stack)
