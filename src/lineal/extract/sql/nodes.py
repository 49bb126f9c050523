"""Short questions about the nodes of a parsed statement."""

from __future__ import annotations

from typing import Any

from sqlglot import exp


def list_arg(node: exp.Expr, name: str) -> list[Any]:
    """Return the list that a node holds under a name; an empty one where it holds nothing.

    FROM a JOIN b USING (k)      "using" of the join: k
    """
    return node.args.get(name) or []


def items_in(node: Any) -> list[Any]:
    """Return the items of a tuple; any other value is its only item.

    (a, b)      a, b
    """
    return node.expressions if isinstance(node, exp.Tuple) else [node]


def holds(node: Any, outer: type | tuple[type, ...], inner: type | tuple[type, ...]) -> bool:
    """Tell whether a node is of one class and its operand of another.

    CAST(a AS INT)      a cast that holds a column
    """
    return isinstance(node, outer) and isinstance(node.this, inner)


def is_string(node: Any) -> bool:
    """Tell whether a node is a string literal."""
    return isinstance(node, exp.Literal) and node.is_string
