"""Conditions: one operand decides, others are the value.

SELECT CASE WHEN a THEN b ELSE c END, if(a, b, c), coalesce(a, b)
"""

from __future__ import annotations

from lineal.algebra.expression import chosen_by_first, chosen_in_turns, first_that_is_there
from lineal.extract.catalyst.expressions.refits import original_of
from lineal.extract.catalyst.expressions.stack import Calls, Visit, by_law
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way


def case_when(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """CASE WHEN t1 THEN v1 … ELSE v END      children: t1, v1, …, v"""
    around = (node, calls)
    visit.stack.extend((child, step, around) for child, step in chosen_in_turns(node.children, way))


def if_else(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """if(test, yes, no), unless the engine fits a struct to a type by it"""
    original = original_of(node)
    if original is not None:
        visit.stack.append((original, way, calls))
    else:
        by_law(chosen_by_first, node, node.children, way, calls, visit.stack)


def first_not_null(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """coalesce(a, b)"""
    by_law(first_that_is_there, node, node.children, way, calls, visit.stack)
