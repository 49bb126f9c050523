"""Short questions about the nodes of a parsed statement."""

from __future__ import annotations

from typing import Any, TypeGuard

from sqlglot import exp

Classes = type[exp.Expr] | tuple[type[exp.Expr], ...]


def list_arg(node: exp.Expr, name: str) -> list[Any]:
    """Return the list that a node holds under a name; an empty one where it holds nothing.

    FROM a JOIN b USING (k)      "using" of the join: k
    """
    return node.args.get(name) or []


def items_in(node: exp.Expr) -> list[Any]:
    """Return the items of a tuple; any other value is its only item.

    (a, b)      a, b
    """
    return node.expressions if isinstance(node, exp.Tuple) else [node]


def holds(node: exp.Expr, outer: Classes, inner: Classes) -> bool:
    """Tell whether a node is of one class and its operand of another.

    CAST(a AS INT)      a cast that holds a column
    """
    return isinstance(node, outer) and isinstance(node.this, inner)


def is_string(node: Any) -> TypeGuard[exp.Literal]:
    """Tell whether a node is a string literal."""
    return isinstance(node, exp.Literal) and node.is_string


def part_names(node: exp.Column | exp.Table | exp.Dot) -> list[str]:
    """Return the names of a dotted name.

    a.b.c      a, b, c
    """
    return [part.name for part in node.parts]


def meta_of(node: exp.Expr) -> dict[str, Any]:
    """Return the notes on a node; most have none, and get no dictionary for the question."""
    return node._meta or {}


def is_call(node: Any, name: str) -> TypeGuard[exp.Anonymous]:
    """Tell whether a node calls a function that the parser does not know, by this name.

    ROW(a, b)
    """
    return isinstance(node, exp.Anonymous) and node.name.upper() == name
