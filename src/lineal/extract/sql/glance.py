"""A glance at a short text of SQL, for readers of projects: its tables, its columns, its truth."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.simplify import simplify

from lineal.extract.sql.nodes import part_names

LONGEST = 2_000
REFUSED = (SqlglotError, RecursionError, ValueError, TypeError)


def truth_of(text: str) -> bool | None:
    """Return whether a condition over constants holds; None where only a run can tell."""
    bare = text.strip()
    if bare.lower() in ("true", "false"):
        return bare.lower() == "true"

    if not bare or len(bare) > LONGEST:
        return None

    try:
        tree = simplify(parse_one(bare))
    except REFUSED:
        return None

    if isinstance(tree, exp.Boolean):
        return bool(tree.this)

    if isinstance(tree, exp.Null):
        return False

    if isinstance(tree, exp.Literal):
        return tree.this not in ("", "0")

    return None


def tables_of(query: str, dialect: str) -> list[str]:
    """Return the tables that a query names; none if it does not parse."""
    try:
        tree = parse_one(query, read=dialect or None)
    except REFUSED:
        return []

    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    tables = [".".join(part_names(table)) for table in tree.find_all(exp.Table)]
    return [name for name in dict.fromkeys(tables) if name and name not in own]


def selected_names(query: str, dialect: str) -> list[str]:
    """Return the names of the columns that a query selects; none if one of them is not known."""
    try:
        tree = parse_one(query, read=dialect or None)
    except REFUSED:
        return []

    names = []
    if isinstance(tree, exp.Query):
        names = list(map(str, tree.named_selects))

    if "*" in names or "" in names:
        return []

    return names
