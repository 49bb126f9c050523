"""The normal form of a whole statement."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.normal.errors import Unproven
from lineal.extract.sql.normal.functions import AGGREGATES, RANKS, VOLATILE
from lineal.extract.sql.normal.reader import Columns, Reader, Scope
from lineal.extract.sql.normal.render import render
from lineal.extract.sql.normal.rewrite import normalize

__all__ = ["Unproven", "is_ordered", "normal_form", "query_of"]

ORDERED = (
    exp.Limit, exp.Offset, exp.Fetch, exp.TableSample, exp.UDTF, exp.Pivot, exp.Parameter, exp.Placeholder,
)  # fmt: skip
"""The clauses that take some of the rows, make rows of values, or are not known."""


def normal_form(tree: exp.Expr, facts: Facts, columns: Columns) -> tuple[Any, str]:
    """Return a statement without its query, and the normal form of the query."""
    shell, query = query_of(tree)
    if query is None:
        raise Unproven("no query")

    refuse_order(query)
    read = Reader(facts, columns).query(query, Scope(None, {}))
    return shell, render(normalize(read))


def query_of(tree: exp.Expr) -> tuple[Any, Any]:
    """CREATE TABLE t AS SELECT …      the statement without its query, and the query"""
    if isinstance(tree, exp.Query):
        return None, tree

    inner = tree.args.get("expression") if isinstance(tree, (exp.Create, exp.Insert)) else None
    if not isinstance(inner, exp.Query) or tree.args.get("with_"):
        return tree, None

    shell = type(tree)(
        **{name: value for name, value in tree.args.items() if name not in ("expression",)}
    )
    return shell.copy(), inner


def is_ordered(tree: exp.Expr) -> bool:
    """Tell whether the order in which rows are read can be seen in the result."""
    try:
        refuse_order(tree)
    except Unproven:
        return True

    return False


def refuse_order(query: exp.Expr) -> None:
    """Refuse what depends on the order of rows, or differs from call to call: there, even the
    order of a join can be seen in the result.
    """
    for node in query.walk():
        if isinstance(node, ORDERED):
            raise Unproven(type(node).__name__)

        if isinstance(node, exp.Window):
            refuse_window(node)
        elif isinstance(node, exp.Func):
            refuse_function(node)


def refuse_window(node: exp.Window) -> None:
    """A window is refused if rows with equal keys can have different values in it."""
    function = node.this
    if isinstance(function, exp.Filter):
        function = function.this

    if function.key not in AGGREGATES | RANKS or node.args.get("spec"):
        raise Unproven("a window that depends on the order of rows")


def refuse_function(node: exp.Func) -> None:
    """Refuse functions that are volatile, and aggregates that depend on the order of rows."""
    name = node.name.lower() if isinstance(node, exp.Anonymous) else node.key
    if name in VOLATILE or node.key in VOLATILE:
        raise Unproven("a volatile function")

    unordered = node.key in AGGREGATES
    if isinstance(node, exp.AggFunc) and not unordered and not isinstance(node.parent, exp.Window):
        raise Unproven("an aggregate that depends on the order of rows")
