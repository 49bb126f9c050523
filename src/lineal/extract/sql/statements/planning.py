"""From a statement's tree to what it does: one row of the table per kind of statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements.steps import Steps, Unsupported

Planner = Callable[[Any, Facts], Any]
Addition = Callable[[Any, Any, Facts], Any]

PLANNERS: dict[type, Planner] = {}
"""The planner of a statement, by the class of its tree; `families.py` fills it."""

ADDITIONS: list[Addition] = []
"""Additions to a plan: other writes of the statement, doubts; `families.py` fills it."""

SILENT: frozenset[type] = frozenset(
    getattr(exp, name)
    for name in (
        "Commit", "Rollback", "Transaction", "Comment", "Describe", "Grant", "Revoke", "Analyze",
        "Uncache", "Refresh", "Pragma", "Show", "Kill", "Semicolon", "Declare", "Attach", "Detach",
        "Summarize", "Install",
    )
    if hasattr(exp, name)
)  # fmt: skip
"""Statements that define no dataset."""


def plan_of(node: exp.Expr, facts: Facts) -> Steps | type[Unsupported]:
    """Return what a statement does.

    None is a statement that moves no data; Unsupported one that may, and is not traced.
    """
    planner = PLANNERS.get(type(node))
    if planner is None:
        if type(node) in SILENT:
            return None

        return Unsupported

    found: Steps | type[Unsupported] = planner(node, facts)
    for add in ADDITIONS:
        found = add(node, found, facts)

    return found
