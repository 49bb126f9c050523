"""The row of the function table that a call goes by."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.functions import AGGREGATES_OF_ONE, Function, Role, known
from lineal.extract.sql.scope import Scope

ROWS: dict[type, Function | None] = {}


NAMED = (exp.Anonymous, exp.AnonymousAggFunc, exp.ParameterizedAgg)


ONLY_IN_AGGREGATES = (exp.Distinct, exp.Order, exp.Limit)


def row_of(node: exp.Expr, scope: Scope) -> Function | None:
    """The row of a call: the project's own, else the dialect's, else the table's.

    f(DISTINCT a), f(a ORDER BY b)      only aggregates are written so, whatever f is
    """
    own = scope.evaluation.own_functions
    found = own.row(node) if own else None
    if found is None:
        found = listed_row(node)

    if found is None and node.__class__ is exp.Anonymous:
        arguments_ = node.args.get("expressions")
        if arguments_ and arguments_[0].__class__ in ONLY_IN_AGGREGATES:
            return unlisted_aggregate(node)

        if arguments_ and len(arguments_) == 1 and node.name.lower() in AGGREGATES_OF_ONE:
            return unlisted_aggregate(node)

    return found


def listed_row(node: Any) -> Function | None:
    """The function table's row for a node, by any of the names its class goes by."""
    kind = node.__class__
    if kind in NAMED:
        if node.parent.__class__ is exp.Dot and (
            found := known(f"{node.parent.this.name}.{node.name}".lower())
        ):
            return found

        return known(node.name.lower()) or (
            unlisted_aggregate(node) if kind is not exp.Anonymous else None
        )

    if kind not in ROWS:
        names = [name.lower() for name in kind.sql_names()]
        found = next((row for name in names if (row := known(name)) is not None), None)
        if found is None and issubclass(kind, exp.AggFunc):
            found = unlisted_aggregate(node)

        ROWS[kind] = found

    return ROWS[kind]


def unlisted_aggregate(node: exp.Expr) -> Function:
    """Make a row for an aggregate that the function table does not have."""
    return Function(function_name(node), Role.AGGREGATE, False)


def function_name(node: Any) -> str:
    """The name of a call, in lower case."""
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return str(node.name).lower()

    return str(node.sql_name()).lower()
