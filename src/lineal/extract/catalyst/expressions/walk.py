"""The walk over an expression of a plan: from the outside in, with a stack of its own.

A class that is not in `EXPRESSIONS` is a function: it transforms its arguments, or does what its
row of the function table says.
"""

from __future__ import annotations

from collections.abc import Iterable

from lineal.algebra.lineage import Expression, Lineage
from lineal.extract.catalyst.expressions.calls import by_function_table, by_row, own_row
from lineal.extract.catalyst.expressions.replaceable import replaceable
from lineal.extract.catalyst.expressions.scope import Scope
from lineal.extract.catalyst.expressions.stack import Calls, Handler, Stack, Visit
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way

EXPRESSIONS: dict[str, Handler] = {}
"""The handler of each class that is more than a function; the package fills it."""


def gather(root: Node, way: Way, into: Lineage, scope: Scope) -> None:
    """Add the influences of every attribute below `root`, each composed with `way`."""
    stack: Stack = [(root, way, None)]
    visit = Visit(stack, scope, into)
    while stack:
        node, way, calls = stack.pop()
        handler = EXPRESSIONS.get(node.name, function)
        handler(node, way, calls, visit)


def function(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """f(a, b)      by what the user wrote, by the project's own row, or by the function table"""
    if "replacement" in node.args:
        replaceable(node, way, calls, visit)
        return

    if visit.scope.plan.names.own_functions:
        row = own_row(node, visit.scope)
        if row is not None:
            by_row(row, node, node.children, way, calls, visit.stack)
            return

    by_function_table(node, node.children, way, calls, visit.stack)


def influences_of(node: Node, way: Way, scope: Scope) -> Lineage:
    """Gather the influences of an expression into a new lineage."""
    into: Lineage = {}
    gather(node, way, into, scope)
    return into


def expression_over(scope: Scope, node: Node) -> Expression:
    """An expression of the plan, whose attributes are looked up in a scope."""
    return lambda way, into: gather(node, way, into, scope)


def expressions_over(scope: Scope, nodes: Iterable[Node]) -> list[Expression]:
    """Expressions of the plan, whose attributes are looked up in one scope."""
    return [expression_over(scope, node) for node in nodes]
