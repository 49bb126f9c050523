"""Conditions of macros: whether `@IF(1 = 1 AND @x = 'a', …)` holds, if constants tell."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.simplify import simplify

LONGEST = 2_000


def truth_of(text: str) -> bool | None:
    """Return whether a condition holds; None where only a run can tell."""
    bare = text.strip()
    if bare.lower() in ("true", "false"):
        return bare.lower() == "true"
    if not bare or len(bare) > LONGEST:
        return None
    try:
        tree = simplify(parse_one(bare))
    except (SqlglotError, RecursionError, ValueError, TypeError):
        return None
    if isinstance(tree, exp.Boolean):
        return bool(tree.this)
    if isinstance(tree, exp.Null):
        return False
    if isinstance(tree, exp.Literal):
        return tree.this not in ("", "0")
    return None
