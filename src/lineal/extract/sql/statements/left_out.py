"""Statements of which a part was left out: what they say is less certain."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame
from lineal.algebra.relation import doubt_all
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.placeholders import LEFT_OUT
from lineal.extract.sql.repair_contracts import LEFT_OVER
from lineal.extract.sql.statements.steps import After, Made, Plan
from lineal.model.edge import Doubt
from lineal.model.sequences import as_list
from lineal.model.way import Confidence

CLAUSE_LEFT_OUT = Doubt(
    Confidence.MEDIUM, False, "a part of the statement is not known, or not understood"
)


def less_certain(node: exp.Expr, steps: Any, facts: Facts) -> Any:
    """Lower the confidence of a frame that lacks clauses.

    SELECT a FROM t WHERE b = 1 {and_more}

    what was left out may say more about every column
    """
    if node._meta is None or not (LEFT_OUT in node._meta or LEFT_OVER in node._meta):
        return steps

    for step in as_list(steps):
        if isinstance(step, Plan) and step.made is not None:
            step.made = made_with_doubt(step.made)
        elif isinstance(step, Plan):
            step.after = after_with_doubt(step.after)

    return steps


def made_with_doubt(made: Made) -> Made:
    """Return the columns that an UPDATE sets, with lower confidence."""
    return lambda evaluation, ctes: weaken_frame(made(evaluation, ctes))


def after_with_doubt(after: After | None) -> After:
    """Return the work on a query's frame, followed by a doubt about all of it."""
    if after is None:
        return lambda frame, evaluation, ctes: weaken_frame(frame)

    return lambda frame, evaluation, ctes: weaken_frame(after(frame, evaluation, ctes))


def weaken_frame(frame: Frame) -> Frame:
    """The same columns and rows, less certain."""
    return doubt_all(frame, CLAUSE_LEFT_OUT)
