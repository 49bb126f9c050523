"""Lambdas and comprehensions: their variables stand for the items of arrays.

transform(xs, x -> x.price * rate)      xs.price and rate; x is an item of xs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.expression import VALUE, value, when
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import NOTHING, Lineage
from lineal.algebra.values import Struct
from lineal.extract.sql.expressions.structs import keep_own_part, struct_of
from lineal.extract.sql.expressions.walk import Calls, Visit, gather, value_of
from lineal.extract.sql.paths import (
    array_of,
    arrow_meant,
    call_name,
    keeps_items,
    leads_to_part,
    passes_fields,
    reads_fields_only,
)
from lineal.extract.sql.scope import Scope
from lineal.model.sequences import present
from lineal.model.way import Way

READS_ITEMS = frozenset(
    (
        "transform", "list_transform", "list_apply", "array_apply", "array_transform", "apply", "arraymap", "flatmap",
        "any_match", "all_match", "none_match", "exists", "forall", "arrayany", "arrayall", "arrayexists", "arraycount",
        "arraysum", "arrayavg", "arraymin", "arraymax", "arraycumsum", "arrayfirstindex", "arraylastindex", "zip_with",
        "reduce", "aggregate", "list_reduce", "array_reduce", "arrayfold",
    )
)  # fmt: skip
"""Functions whose value is made of what a lambda reads of the items, and of no item as a whole."""

ACCUMULATES = frozenset(("reduce", "aggregate", "list_reduce", "array_reduce", "arrayfold"))
"""reduce(xs, 0, (acc, x) -> acc + x.p, acc -> acc * 2)      the first variable is the value so far"""


HIGHER_ORDER: tuple[type, ...] = (
    exp.Transform, exp.Reduce, exp.ArrayAny, exp.ArrayAll, exp.ArraySum, exp.ArrayFilter, exp.ArraySort,
)  # fmt: skip
"""The classes of calls that may have lambdas."""


def lambda_(node: exp.Lambda, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a lambda.

    transform(xs, x -> x + a)      x is the lambda's own, a is a column
    """
    path = arrow_meant(node, visit.scope.evaluation.facts.arrows)
    if path is not None:
        visit.stack.append((path, way, calls))
        return

    inner = scope_with(node.expressions, visit.scope)
    for variable, array in items_of(node):
        if reads_fields_only(variable, (node.this,)):
            bind(variable, array, visit.scope, inner)

    gather(node.this, way, visit.into, inner)


def walk_items(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> bool:
    """Walk a call whose lambdas read items of its arrays, and tell whether it is one.

    transform(xs, x -> x.p)      xs.p, and no xs
    filter(xs, x -> x.p > a)     xs, and a
    """
    arrows = visit.scope.evaluation.facts.arrows
    parts = list(node.iter_expressions())
    lambdas = [
        part for part in parts if isinstance(part, exp.Lambda) and not arrow_meant(part, arrows)
    ]
    keeps = keeps_items(node)
    if not lambdas or not (keeps or call_name(node) in READS_ITEMS):
        return False

    step, around = value(way), (node, calls)
    taken = set() if keeps else arrays_read_by_fields(lambdas)
    for part in reversed(parts):
        if keeps and part in lambdas:
            inner = scope_with(part.expressions, visit.scope)
            gather(part.this, step, visit.into, inner, around)
        else:
            read = plain_array(part)[1] if id(part) in taken else [part]
            visit.stack.extend((each, step, around) for each in read)

    return True


def arrays_read_by_fields(lambdas: Sequence[exp.Lambda]) -> set[int]:
    """The arrays of whose items the lambdas read fields, and no item as a whole."""
    uses = [
        (id(array), reads_fields_only(variable, (each.this,)))
        for each in lambdas
        for variable, array in items_of(each)
    ]
    return {array for array, _ in uses} - {array for array, by_fields in uses if not by_fields}


def items_of(node: exp.Lambda) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Pair the variables of a lambda with the arrays whose items they are.

    zip_with(xs, ys, (x, y) -> …)      x with xs, y with ys
    """
    call = node.parent
    if not isinstance(call, exp.Func):
        return

    name = call_name(call)
    arrays = [part for part in call.iter_expressions() if not isinstance(part, exp.Lambda)]
    variables = node.expressions
    if name in ACCUMULATES:
        yield from zip(variables[1:2], arrays[:1], strict=False)
    elif len(variables) == len(arrays):
        yield from zip(variables, arrays, strict=True)
    elif keeps_items(call):  # array_sort(xs, (left, right) -> …)
        yield from ((variable, arrays[0]) for variable in variables if arrays)
    else:
        yield from zip(variables[:1], arrays[:1], strict=False)


def bind(variable: exp.Expr, array: exp.Expr, scope: Scope, inner: Scope) -> None:
    """Let a variable stand for any item of an array."""
    key = scope.evaluation.fold(variable.name, False)
    inner.aliases[key] = Slot(variable.name, key, any_item(array, scope))


def comprehension(node: exp.Comprehension, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a list comprehension.

    [x.p + a FOR x IN xs IF x.q > b]

    xs.p and a are the value, xs.q and b decide its items; x is an item of xs
    """
    args = node.args
    variable = args["expression"]
    inner = scope_with(present((variable, args.get("position"))), visit.scope)
    if reads_fields_only(variable, present((args["this"], args.get("condition")))):
        bind(variable, args["iterator"], visit.scope, inner)
        for other in plain_array(args["iterator"])[1]:
            gather(other, when(way), visit.into, visit.scope, calls)
    else:
        visit.stack.append((args["iterator"], value(way), calls))

    gather(args["this"], value(way), visit.into, inner, calls)
    if args.get("condition") is not None:
        gather(args["condition"], when(way), visit.into, inner, calls)


def any_item(iterator: exp.Expr, scope: Scope) -> Lineage:
    """FOR x IN xs      an item of xs, with the fields of the structs that the list is made of"""
    array, _ = plain_array(iterator)
    built = struct_of(array, scope)
    if isinstance(built, Struct):
        return built

    lineage = value_of(array, VALUE, scope)
    return keep_own_part(array, lineage, scope) if leads_to_part(array) else lineage


def plain_array(node: Any) -> tuple[Any, list[Any]]:
    """Return the array that calls take their items from, and what else the calls read.

    array_sort(filter(xs, x -> x.p > a))      xs, and the lambda
    """
    others: list[Any] = []
    while passes_fields(node):
        node, beside = array_of(node)
        others.extend(beside)

    return node, others


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
