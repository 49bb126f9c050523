"""Outlines: the columns that a statement makes, as far as its text lists them, before anything is
evaluated.
"""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements.steps import Plan
from lineal.model.sequences import second_of_each


def outline_of(plan: Plan, facts: Facts) -> tuple[str, ...] | None:
    """The keys of the columns that a definition lists; None where its text does not list them.

    CREATE TABLE t (a INT), CREATE VIEW t (a) AS …, CREATE VIEW t AS SELECT a, b AS c FROM s
    """
    if plan.outline is not None:
        return plan.outline

    if plan.schema is not None:
        return None if plan.like else tuple(facts.fold(c.name, c.quoted) for c in plan.schema)

    if plan.columns:
        return tuple(second_of_each(plan.columns))

    query = plan.query
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this

    if not isinstance(query, exp.Select):
        return None

    return listed_columns(query, facts)


def listed_columns(select: exp.Select, facts: Facts) -> tuple[str, ...] | None:
    """Return the keys of the outputs of a SELECT; None where a star is among them."""
    keys = []
    for item in select.expressions:
        if item.is_star:
            return None

        named = item.args.get("alias") if isinstance(item, exp.Alias) else item.this
        quoted = isinstance(named, exp.Identifier) and bool(named.args.get("quoted"))
        if item.alias_or_name:
            keys.append(facts.fold(item.alias_or_name, quoted))

    return tuple(keys)
