"""Lambdas and the functions that take them, and functions written in SQL.

SELECT transform(xs, x -> x + a), f(a)
"""

from __future__ import annotations

from lineal.algebra.expression import value
from lineal.extract.catalyst.expressions.calls import by_function_table
from lineal.extract.catalyst.expressions.refits import original_of
from lineal.extract.catalyst.expressions.stack import Calls, Visit, push_children
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way


def lambda_function(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """x -> x + a      only the body"""
    visit.stack.append((node.children[0], way, calls))


def items_or_entries(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """transform(xs, x -> …), map_from_arrays(ks, vs)

    a function, unless the engine fits xs to a type by it
    """
    original = original_of(node)
    if original is not None:
        visit.stack.append((original, way, calls))
    else:
        by_function_table(node, node.children, way, calls, visit.stack)


def scalar_function(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """f(a), a SQL function, inlined      what its body does to a"""
    push_children(node.children, value(way), (node, calls), visit.stack)
