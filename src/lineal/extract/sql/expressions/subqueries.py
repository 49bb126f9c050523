"""Subqueries and EXISTS: expressions with a scope of their own."""

from __future__ import annotations

from sqlglot import exp

from lineal.algebra.expression import value
from lineal.algebra.relation import take_existence, take_value
from lineal.extract.sql.expressions.calls import higher_order
from lineal.extract.sql.expressions.walk import Calls, Visit, rows_of
from lineal.model.way import Way


def subquery(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a scalar subquery.

    (SELECT max(a) FROM t WHERE b)      the value composes, the rows keep their own subtype;
    (SELECT a FOR JSON PATH)            a text is made of a
    """
    query = node.this if isinstance(node, exp.Subquery) else node
    if isinstance(query, exp.Select) and query.args.get("for_") is not None:
        way = value(way)

    take_value(
        visit.scope.evaluation.frame_of(node, visit.scope),
        way,
        visit.into,
        rows_of(visit.into),
        calls,
    )


def exists(node: exp.Exists, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk EXISTS.

    EXISTS (SELECT … FROM t WHERE b)      no value, only the rows count
    """
    if isinstance(node.this, (exp.Query, exp.Subquery)):
        take_existence(visit.scope.evaluation.frame_of(node.this, visit.scope), rows_of(visit.into))
    else:  # Spark's exists(array, x -> …) is a function
        higher_order(node, way, calls, visit)
