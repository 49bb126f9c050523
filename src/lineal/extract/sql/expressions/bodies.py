"""Calls of functions whose body is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.expression import (
    value,
)
from lineal.algebra.lineage import Lineage, pour
from lineal.extract.sql.expressions.rows import function_name
from lineal.extract.sql.expressions.walk import value_of
from lineal.extract.sql.scope import Scope
from lineal.model.way import IDENTITY as NEUTRAL
from lineal.model.way import Way

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.pieces import Routine
    from lineal.extract.sql.procedural.summary import Summary


def compose_body(
    node: exp.Expr, way: Way, calls: Any, scope: Scope, into: Lineage, name: str = ""
) -> bool:
    """Compose the body of a function with a call's arguments, and tell whether it is known.

    safe_divide(a, b), where the body is known: only what the body does to a and b counts
    """
    evaluation = scope.evaluation
    overloads = evaluation.catalog.functions.get(name or function_name(node))
    if not overloads or evaluation.own_functions.row(node):
        return False

    function = overload(overloads, len(list(node.iter_expressions())))
    summary = evaluation.catalog.summary_of(function, evaluation)
    if summary is None:
        return False

    evaluation.absorb(summary.evaluation, node)
    values = arguments_of(node, summary, scope)
    pour(summary.lineage_of_call(values), value(way), into, node, (node, calls))
    return True


def arguments_of(node: exp.Expr, summary: Summary, scope: Scope) -> dict[int, Lineage]:
    """f(a, p => b)      the lineage of each argument, by the position of its parameter"""
    given = list(node.iter_expressions())
    return {
        i: value_of(argument, NEUTRAL, scope)
        for i, argument in summary.bind(given, scope.evaluation.fold)
    }


def overload(functions: list[Routine], given: int) -> Routine:
    """The last one that takes as many arguments, else the last."""
    fitting = [each for each in functions if len(each.inputs) == given]
    if fitting:
        return fitting[-1]

    return functions[-1]


def qualified_call(node: exp.Dot, way: Way, calls: Any, scope: Scope, into: Lineage) -> bool:
    """Compose the body of a function that a schema qualifies, and tell whether it is known.

    dbo.f(a)      the f of that schema
    """
    name = ".".join(
        part.name for part in (*node.this.find_all(exp.Identifier), node.expression)
    ).lower()
    return compose_body(node.expression, way, calls, scope, into, name)
