"""Date parts: which argument of DATEDIFF(minute, a, b) is a word, and no column."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.functions import DATE_PARTS
from lineal.extract.sql.scope import Scope


def date_part(node: exp.Expr, scope: Scope) -> Any:
    """The argument that is a date part: the parser's unit; in a function that it does not know, the
    first or the last.

    DATEDIFF(minute, a, b), read as (value, value, unit), makes a unit of b: then minute is the
    part.
    """
    unit = node.args.get("unit")
    if computes(unit):
        return None

    if unit is not None and (unit.__class__ not in WORDS or unit.name.lower() in DATE_PARTS):
        return unit

    if unit is None and node.__class__ is not exp.Anonymous:
        return None

    if unit is None:
        arguments_ = node.expressions
    elif node.args.get("expression") is not None:
        arguments_ = [node.this]
    else:
        arguments_ = []

    if unit is None and (
        len(arguments_) < 2 or any(argument.__class__ is exp.Interval for argument in arguments_)
    ):
        return None

    if any(map(names_part, arguments_[:1])):
        return arguments_[0]

    last = arguments_[-1] if unit is None and arguments_[0].__class__ is exp.Column else None
    if last is not None and names_part(last) and not scope.has(last):
        return last

    return None


WORDS = (exp.Var, exp.Literal)


def computes(unit: Any) -> bool:
    """Tell whether a date part is computed from columns.

    trunc(a, t.period), date_trunc(lower(period), a)

    a value that only the rows tell; not WEEK(MONDAY)
    """
    return isinstance(unit, (exp.Column, exp.Func)) and unit.find(exp.Column) is not None


def names_part(node: exp.Expr) -> bool:
    """Tell whether a word names a date part.

    day in DATEADD(day, 1, a); not "day", not t.day
    """
    return (
        node.__class__ is exp.Column
        and node.args.get("table") is None
        and not node.args["this"].args.get("quoted")
        and node.name.lower() in DATE_PARTS
    )


def column_of_unit(node: exp.Expr, scope: Scope) -> Any:
    """Return the column that a unit names.

    date_trunc(period, a)

    the parser makes a word of every unit; one that the text does not quote is a column
    """
    if node.__class__ not in WORDS:
        return node

    spelled = scope.evaluation.reading.spelling_of(node.name)
    if spelled:
        return exp.Column(this=exp.Identifier(this=spelled, quoted=False))

    return node
