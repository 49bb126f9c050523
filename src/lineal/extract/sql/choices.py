"""Expressions that choose one of several values: a part of the choice is a choice of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from lineal.extract.sql.nodes import list_arg
from lineal.model.sequences import present

CHOICES = (exp.If, exp.Case, exp.Coalesce)


def part_of_choice(choice: exp.Expr, path: Sequence[str]) -> exp.Expr:
    """IF(c, a, b).x      IF(c, a.x, b.x)"""
    part = choice.copy()
    for value in chosen_values(part):
        if isinstance(value, exp.Null):
            continue

        inner: exp.Expr = value.copy()
        for name in path:
            identifier = exp.to_identifier(name, quoted=True)
            inner = exp.Dot(this=inner, expression=identifier)

        value.replace(inner)

    return part


def chosen_values(choice: Any) -> list[Any]:
    """IF(c, a, b), CASE WHEN c THEN a ELSE b END, COALESCE(a, b)      a and b"""
    if isinstance(choice, exp.Coalesce):
        return [choice.this, *choice.expressions]

    if isinstance(choice, exp.Case):
        values = [each.args.get("true") for each in list_arg(choice, "ifs")]
        values.append(choice.args.get("default"))
    else:
        values = [choice.args.get("true"), choice.args.get("false")]

    return present(values)
