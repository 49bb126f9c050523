"""Casts: those that a user wrote, and those that the engine adds.

SELECT CAST(a AS INT)      the user's
INSERT INTO t SELECT a     the engine casts a to the type of t's column
"""

from __future__ import annotations

from lineal.algebra.expression import value
from lineal.extract.catalyst.expressions.leaves import pass_through
from lineal.extract.catalyst.expressions.stack import Calls, Visit, push_children
from lineal.extract.catalyst.expressions.walk import EXPRESSIONS
from lineal.extract.catalyst.tree import Node
from lineal.model.way import Way

LENGTH_CHECKS = ("WriteSideCheck", "readSidePadding")
"""How the functions end that pad a CHAR, or check the length of a VARCHAR."""


def user_cast(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """CAST(a AS INT)

    a transformation when the user wrote it, none when the analyzer inserted it
    """
    if is_inserted(node):
        push_children(node.children, way, calls, visit.stack)
    else:
        push_children(node.children, value(way), (node, calls), visit.stack)


def static_invoke(node: Node, way: Way, calls: Calls, visit: Visit) -> None:
    """Padding and length checks of CHAR and VARCHAR are the engine's own."""
    if checks_length(node):
        push_children(node.children, way, calls, visit.stack)
    else:
        push_children(node.children, value(way), (node, calls), visit.stack)


def checks_length(node: Node) -> bool:
    """Tell whether a static method pads a CHAR, or checks the length of a VARCHAR."""
    return str(node.args.get("functionName", "")).endswith(LENGTH_CHECKS)


def is_inserted(node: Node) -> bool:
    """Tell whether the analyzer has inserted a cast; a plan without notes does not say it."""
    return node.args.get("user") is False


def is_engines_own(node: Node) -> bool:
    """Tell whether a node leaves its value as it is, since no user has written it."""
    if node.name == "StaticInvoke":
        return checks_length(node)

    if node.name == "Cast":
        return is_inserted(node)

    return EXPRESSIONS.get(node.name) is pass_through


def is_null_literal(node: Node) -> bool:
    """CAST(NULL AS INT)      of any type"""
    while node.name == "Cast":
        node = node.children[0]

    return node.name == "Literal" and node.args.get("value", "") is None
