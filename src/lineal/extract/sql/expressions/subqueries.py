"""Subqueries, EXISTS, lambdas and comprehensions: expressions with a scope of their own."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from lineal.algebra.expression import (
    VALUE,
    value,
    when,
)
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import NOTHING, Lineage
from lineal.algebra.relation import take_existence, take_value
from lineal.algebra.values import Part, Struct
from lineal.extract.sql.expressions.structs import struct_of
from lineal.extract.sql.expressions.walk import (
    Calls,
    Visit,
    gather,
    operator,
    rows_of,
    value_of,
)
from lineal.extract.sql.paths import arrow_meant
from lineal.extract.sql.scope import Scope
from lineal.model.sequences import present
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
        operator(node, way, calls, visit)


def lambda_(node: exp.Lambda, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a lambda.

    transform(xs, x -> x + a)      x is the lambda's own, a is a column
    """
    path = arrow_meant(node, visit.scope.evaluation.facts.arrows)
    if path is not None:
        visit.stack.append((path, way, calls))
        return

    gather(node.this, way, visit.into, scope_with(node.expressions, visit.scope))


def comprehension(node: exp.Comprehension, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a list comprehension.

    [x.p + a FOR x IN xs IF x.q > b]

    xs.p and a are the value, xs.q and b decide its items; x is an item of xs
    """
    args = node.args
    variable = args["expression"]
    inner = scope_with(present((variable, args.get("position"))), visit.scope)
    if reads_fields_only(node):
        key = visit.scope.evaluation.fold(variable.name, False)
        inner.aliases[key] = Slot(variable.name, key, any_item(args["iterator"], visit.scope))
    else:
        visit.stack.append((args["iterator"], value(way), calls))

    gather(args["this"], value(way), visit.into, inner, calls)
    if args.get("condition") is not None:
        gather(args["condition"], when(way), visit.into, inner, calls)


def any_item(iterator: exp.Expr, scope: Scope) -> Lineage:
    """FOR x IN xs      an item of xs, with the fields of the structs that the list is made of"""
    built = struct_of(iterator, scope)
    if isinstance(built, Struct):
        return built

    return Part(value_of(iterator, VALUE, scope))


def reads_fields_only(node: exp.Comprehension) -> bool:
    """Tell whether a comprehension reads fields of its items, and no item as a whole.

    [x.p FOR x IN xs]
    """
    args = node.args
    parts = [part for part in (args["this"], args.get("condition")) if part is not None]
    lengths = [
        len(column.parts)
        for part in parts
        for column in part.find_all(exp.Column)
        if column.parts[0].name == args["expression"].name
    ]
    return bool(lengths) and min(lengths) > 1


def scope_with(variables: Iterable[exp.Expr], scope: Scope) -> Scope:
    """The scope of a lambda's body: its variables hide columns, and are none."""
    inner = LambdaScope(scope.evaluation, scope, scope.ctes)
    inner.clause = scope.clause
    inner.windows = scope.windows
    inner.alias_first = True
    for variable in variables:
        key = scope.evaluation.fold(variable.name, False)
        inner.aliases[key] = Slot(variable.name, key, NOTHING)

    return inner


class LambdaScope(Scope):
    """transform(xs, x -> x.price + a)

    x is the lambda's own, a means what it means around it
    """

    __slots__ = ()

    def column(self, node: exp.Column) -> Slot:
        """Resolve a column, unless it is a parameter of the lambda."""
        first = node.parts[0]
        if self.parent is None or self.evaluation.fold(first.name, False) in self.aliases:
            return super().column(node)

        return self.parent.column(node)
