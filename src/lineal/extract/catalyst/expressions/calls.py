"""Functions and aggregates: what a call does to its arguments, by the function table.

SELECT upper(a), sum(b), listagg(c) WITHIN GROUP (ORDER BY d)
"""

from __future__ import annotations

from lineal.algebra.expression import aggregate_of, counting_way, masking_way, over, value
from lineal.algebra.functions import Function, Role, known
from lineal.extract.catalyst.expressions.class_names import class_function_name
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.stack import Calls, Stack, push_children
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way

AGGREGATE_ROLES = (Role.AGGREGATE, Role.ORDERED)


def by_function_table(
    node: Node, arguments: list[Node], way: Way, calls: Calls, stack: Stack
) -> None:
    """f(a, b)      by the function table"""
    by_row(known(class_function_name(node.name)), node, arguments, way, calls, stack)


def by_row(
    row: Function | None, node: Node, arguments: list[Node], way: Way, calls: Calls, stack: Stack
) -> None:
    """Push the arguments of a call, by its row of the function table; without one they transform."""
    if row is None:
        if is_aggregate(node):
            push_aggregate(node, arguments, aggregate_of(way), way, calls, stack)
        else:
            push_children(arguments, value(way), (node, calls), stack)

        return

    aggregates = row.role in AGGREGATE_ROLES or is_aggregate(node)
    step = STEPS[aggregates, row.masks](way)
    if aggregates:
        push_aggregate(node, arguments, step, way, calls, stack)
    else:
        push_children(arguments, step, (node, calls), stack)


STEPS = {
    (True, True): counting_way,
    (True, False): aggregate_of,
    (False, True): masking_way,
    (False, False): value,
}
"""The way of a function's arguments, by whether it aggregates and whether it masks."""


def own_row(node: Node, scope: Scope) -> Function | None:
    """tokenize_pii(a)

    a function of Python, Scala or Hive that the project file lists, or one of Spark's own
    """
    name = node.args.get("name") or node.args.get("udfName") or class_function_name(node.name)
    return scope.plan.names.own_functions.get(str(name).rpartition(".")[2].lower())


def is_aggregate(node: Node) -> bool:
    """Tell whether a class is one of Spark's aggregates, or an aggregate of Python."""
    name = str(node.args.get("class", ""))
    return ".expressions.aggregate." in name or node.name == "PythonUDAF"


def push_aggregate(
    node: Node, arguments: list[Node], step: Way, way: Way, calls: Calls, stack: Stack
) -> None:
    """listagg(a) WITHIN GROUP (ORDER BY b)      b: WINDOW"""
    around = (node, calls)
    if len(arguments) == 1:
        stack.append((arguments[0], step, around))
        return

    steps = {"SortOrder": over(way)}
    for child in reversed(arguments):
        stack.append((child, steps.get(child.name, step), around))
