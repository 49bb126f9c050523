"""Aggregates with FILTER and WITHIN GROUP, and window functions."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.expression import (
    aggregate_of,
    over,
    value,
    when,
    window_way,
)
from lineal.algebra.functions import Role
from lineal.extract.sql.expressions.calls import aggregate_call, arguments
from lineal.extract.sql.expressions.rows import row_of
from lineal.extract.sql.expressions.walk import Calls, Visit, gather
from lineal.extract.sql.scope import Scope
from lineal.model.way import Clause, Way


def filter_clause(node: exp.Filter, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk FILTER.

    sum(a) FILTER (WHERE b)      b: CONDITIONAL
    """
    visit.stack.append((node.args["expression"].this, when(way), (node.this, calls)))
    aggregate_call(node.this, way, calls, visit)


def order_in_aggregate(node: exp.Order, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk ORDER BY inside an aggregate.

    array_agg(a ORDER BY b)      b: WINDOW
    """
    for key in reversed(node.expressions):
        visit.stack.append((key.this, over(way), calls))

    if node.this is not None:
        visit.stack.append((node.this, way, calls))


def within_group(node: exp.WithinGroup, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk WITHIN GROUP.

    percentile_cont(0.5) WITHIN GROUP (ORDER BY a)

    a: AGGREGATION; listagg(a) … (ORDER BY b): b: WINDOW
    """
    row = row_of(node.this, visit.scope) if isinstance(node.this, exp.Func) else None
    # rank(5) WITHIN GROUP (ORDER BY a): where 5 would stand
    if row is not None and row.role is Role.RANKING:
        arguments(node.this, aggregate_of(way), calls, visit.stack)
        visit.stack.extend(
            (key.this, aggregate_of(way), (node.this, calls))
            for key in node.args["expression"].expressions
        )
        return

    argument_free = next(node.this.find_all(exp.Column), None) is None
    step = aggregate_of(way) if argument_free or (row and row.role is Role.ORDERED) else over(way)
    for key in reversed(node.args["expression"].expressions):
        visit.stack.append((key.this, step, (node.this, calls)))

    aggregate_call(node.this, way, calls, visit)


def window(node: exp.Window, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a window function.

    sum(a) OVER (PARTITION BY b ORDER BY c)      a: AGGREGATION, b, c: WINDOW

    max(a) KEEP (DENSE_RANK FIRST ORDER BY b)       the same influences of an ordinary, ordered
    aggregate
    """
    inner = window_way(way) if node.args.get("over") != "KEEP" else way
    call = node.this
    while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
        call = call.this

    for key in reversed(window_keys(node)):
        visit.stack.append((key, over(inner), (call, calls)))

    for key in inherited_keys(node, visit.scope):
        clause, visit.scope.clause = visit.scope.clause, Clause.WINDOW
        gather(key, over(inner), visit.into, visit.scope, (call, calls))
        visit.scope.clause = clause

    row = row_of(call, visit.scope) if isinstance(call, exp.Func) else None
    if row is not None and row.role is Role.VALUE_AT:
        arguments(call, value(inner), calls, visit.stack)
    else:
        aggregate_call(call, inner, calls, visit)


def window_keys(node: exp.Window) -> list[Any]:
    """Return the keys of a window.

    PARTITION BY a ORDER BY b ROWS c PRECEDING      a, b, c
    """
    args = node.args
    order = args.get("order")
    sorted_by = [item.this for item in order.expressions] if order is not None else []
    spec = args.get("spec")
    bounds = [spec.args.get("start"), spec.args.get("end")] if spec is not None else ()
    return [
        *(args.get("partition_by") or ()), *sorted_by, *(bound for bound in bounds if isinstance(bound, exp.Expr)),
    ]  # fmt: skip


def inherited_keys(node: exp.Window, scope: Scope) -> list[Any]:
    """Return the keys that a window takes over from named windows.

    OVER w, OVER (w ORDER BY c)      the keys of the named windows that this one builds on
    """
    keys: list[Any] = []
    seen: set[str] = set()
    named = node.args.get("alias")
    while named is not None:
        name = scope.evaluation.fold(named.name, named.args.get("quoted"))
        window = scope.windows.get(name)
        if window is None or name in seen:
            break

        seen.add(name)
        keys.extend(window_keys(window))
        named = window.args.get("alias")

    return keys
