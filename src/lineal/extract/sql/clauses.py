"""The clauses after FROM: what decides which rows there are, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import (
    DISTINCT,
    DISTINCT_ON,
    FILTERS,
    GROUPS,
    HAVING,
    JOINS,
    LIMIT_BY,
    LIMITS,
    QUALIFY,
    SORTS,
)
from lineal.algebra.frame import Slot
from lineal.algebra.functions import Role
from lineal.algebra.lineage import Lineage, pour
from lineal.algebra.relation import compare
from lineal.algebra.values import time_window
from lineal.extract.sql.expressions import gather, value_of, window_keys
from lineal.extract.sql.expressions.rows import row_of
from lineal.extract.sql.nodes import list_arg
from lineal.extract.sql.scope import Scope
from lineal.model.way import IDENTITY, Clause


def named_windows(windows: list[exp.Window], scope: Scope) -> None:
    """Read the named windows of a query.

    WINDOW w AS (PARTITION BY a)      a is read here, whether or not w is used
    """
    for window in windows:
        scope.windows[scope.evaluation.fold(window.name, window.this.args.get("quoted"))] = window

    scope.clause = Clause.WINDOW
    for window in windows:
        for key in window_keys(window):
            gather(key, IDENTITY, {}, scope)


def where_(args: dict[str, Any], scope: Scope, rows: Lineage, outputs: dict[str, Slot]) -> None:
    """Read the conditions of WHERE.

    WHERE a > 1, PREWHERE b      a and b decide the rows
    """
    where = args.get("where")
    if where is not None:
        scope.clause = Clause.WHERE
        if scope.evaluation.facts.aliases_in_where:
            scope.aliases = outputs
            scope.alias_first = scope.evaluation.facts.alias_first

        gather(where.args["this"], FILTERS, rows, scope)

    prewhere = args.get("prewhere")
    if prewhere is not None:
        gather(prewhere.args["this"], FILTERS, rows, scope)

    scope.aliases = {}
    scope.alias_first = False


def time_windows(group: exp.Group, scope: Scope) -> None:
    """Add the time windows of GROUP BY to the scope.

    GROUP BY window(at, '5 minutes')

    all of the SELECT has a column `window`, with start and end
    """
    scope.clause = Clause.GROUP_BY
    for key in group.expressions:
        if key.__class__ is exp.Anonymous and key.name.lower() in TIME_WINDOWS:
            name = scope.evaluation.fold(key.name, False)
            scope.grouped[name] = Slot(
                key.name.lower(), name, time_window(value_of(key, IDENTITY, scope))
            )


TIME_WINDOWS = ("window", "session_window")


def group_(
    node: exp.Select, scope: Scope, rows: Lineage, slots: list[Slot], outputs: dict[str, Slot]
) -> None:
    """Read the keys of GROUP BY.

    GROUP BY a, 2, alias, ROLLUP (b)      each key decides which rows there are

    |> AGGREGATE sum(a) GROUP BY upper(b) AS c      the parser leaves the bare name c, which is the
    key of the list
    """
    group = node.args.get("group")
    if group is None:
        return

    scope.clause = Clause.GROUP_BY
    scope.aliases = outputs
    scope.alias_first = scope.evaluation.facts.alias_first
    if group.args.get("all"):
        aggregated: set[str] = set()
        for item, columns in columns_by_item(node, slots, scope):
            if _aggregates(item, scope) or _names_one_of(aggregated, item, scope):
                aggregated.update(slot.key for slot in columns)
                continue

            for slot in columns:
                pour(slot.lineage, GROUPS, rows)

    for key in keys_of(group):
        position = _ordinal(key, slots)
        if position is not None:
            pour(slots[position].lineage, GROUPS, rows, key)
        elif key.__class__ is exp.Identifier:
            pour(
                outputs[scope.evaluation.fold(key.name, key.args.get("quoted"))].lineage,
                GROUPS,
                rows,
                key,
            )
        else:
            gather(key, GROUPS, rows, scope)

    scope.aliases = {}
    scope.alias_first = False


def keys_of(group: exp.Group) -> Iterator[Any]:
    """Return the keys of GROUP BY, those of its grouping sets one by one.

    GROUP BY a, ROLLUP (1, b), GROUPING SETS ((2, c), ())      a, 1, b, 2, c
    """
    forms = [each for form in GROUPING_FORMS for each in list_arg(group, form)]
    waiting = [*reversed(forms), *reversed(group.expressions)]
    while waiting:
        key = waiting.pop()
        if isinstance(key, GROUPING_CLASSES):
            waiting.extend(reversed(key.expressions))
        elif isinstance(key, exp.Paren):
            waiting.append(key.this)
        else:
            yield key


GROUPING_FORMS = ("rollup", "cube", "grouping_sets")
GROUPING_CLASSES = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)


def columns_by_item(
    node: exp.Select, slots: Sequence[Slot], scope: Scope
) -> Iterator[tuple[exp.Expr, Sequence[Slot]]]:
    """SELECT a, max(COLUMNS('b.*')), t.*      each item with the columns that it is"""
    start = 0
    for position, item in enumerate(node.expressions):
        end = start + scope.spans.get(position, 1)
        yield item, slots[start:end]
        start = end


def _aggregates(item: exp.Expr, scope: Scope) -> bool:
    """Tell whether an item has an aggregate that is not a window function."""
    calls = item.find_all(exp.AggFunc, exp.Anonymous)
    return any(
        not isinstance(call.parent, exp.Window) and _is_aggregate(call, scope) for call in calls
    )


def _is_aggregate(call: exp.Expr, scope: Scope) -> bool:
    """Tell whether a call aggregates: the parser or the table of functions knows it."""
    if isinstance(call, exp.AggFunc):
        return True

    row = row_of(call, scope)
    return row is not None and row.role in (Role.AGGREGATE, Role.ORDERED)


def _names_one_of(aliases: set[str], item: exp.Expr, scope: Scope) -> bool:
    """Tell whether an expression names one of several output columns.

    SELECT sum(a) AS b, b + 1 AS c … GROUP BY ALL      c is made of an aggregate, too
    """
    fold = scope.evaluation.fold
    return bool(aliases) and any(
        not column.table and fold(column.name, False) in aliases and not scope.has(column)
        for column in item.find_all(exp.Column)
    )


def _is_all(key: exp.Expr) -> bool:
    """Tell whether ORDER BY names every column.

    ORDER BY ALL
    """
    bare = isinstance(key, exp.Var) or (
        isinstance(key, exp.Column) and not key.table and not key.this.args.get("quoted")
    )
    return bare and key.name.upper() == "ALL"


def _ordinal(node: exp.Expr, slots: Sequence[Slot]) -> int | None:
    """Return the output column that a position stands for.

    GROUP BY 1, ORDER BY 2 DESC      the position in the SELECT list
    """
    if node.__class__ is exp.Literal and not node.args.get("is_string") and node.name.isdigit():
        position = int(node.name) - 1
        if 0 <= position < len(slots):
            return position

    return None


def conditions_(
    args: dict[str, Any], scope: Scope, rows: Lineage, outputs: dict[str, Slot]
) -> None:
    """Read HAVING and QUALIFY.

    HAVING sum(a) > 1, QUALIFY row_number() … = 1      both decide the rows
    """
    for name, clause, way in (
        ("having", Clause.HAVING, HAVING),
        ("qualify", Clause.QUALIFY, QUALIFY),
    ):
        condition = args.get(name)
        if condition is not None:
            scope.clause = clause
            scope.aliases = outputs
            gather(condition.args["this"], way, rows, scope)
            scope.aliases = {}


def distinct_(
    node: exp.Distinct, scope: Scope, rows: Lineage, slots: list[Slot], outputs: dict[str, Slot]
) -> None:
    """Read DISTINCT.

    SELECT DISTINCT a, b: both are compared; DISTINCT ON (a): only a
    """
    on = node.args.get("on")
    if on is None:
        compare(slots, DISTINCT, rows)
        return

    scope.clause = Clause.DISTINCT_ON
    scope.aliases = outputs
    for key in on.expressions:
        position = _ordinal(key, slots)
        if position is not None:
            pour(slots[position].lineage, DISTINCT_ON, rows, key)
        else:
            gather(key, DISTINCT_ON, rows, scope)

    scope.aliases = {}


def order_(
    args: dict[str, Any],
    scope: Scope,
    rows: Lineage,
    slots: Sequence[Slot],
    outputs: dict[str, Slot],
) -> None:
    """Read ORDER BY.

    ORDER BY total DESC      an output column first, then a source column
    """
    for form in ("order", "sort", "cluster"):
        order = args.get(form)
        if order is None:
            continue

        scope.clause = Clause.ORDER_BY
        for item in order.expressions:
            key = item.args["this"] if isinstance(item, exp.Ordered) else item
            if _is_all(key):
                compare(slots, SORTS, rows)
                continue

            position = _ordinal(key, slots)
            if position is not None:
                pour(slots[position].lineage, SORTS, rows, key)
                continue

            scope.aliases = outputs
            scope.alias_first = (
                key.__class__ is exp.Column
                or not scope.evaluation.facts.source_first_inside_order_by
            )
            if not scope.alias_first:
                scope.aliases = {}

            gather(key, SORTS, rows, scope)

        scope.aliases = {}
        scope.alias_first = False


def limit_(args: dict[str, Any], scope: Scope, rows: Lineage, outputs: dict[str, Slot]) -> None:
    """Read LIMIT.

    LIMIT (SELECT max(n) FROM u): n decides how many rows; LIMIT 1 BY a: one row for each a
    """
    scope.clause = Clause.LIMIT
    for node in (args.get("limit"), args.get("offset")):
        if node is not None:
            number = node.args.get("expression") or node.args.get("count")
        else:
            number = None

        if number is not None and number.__class__ is not exp.Literal:
            gather(number, LIMITS, rows, scope)

        if node is not None and node.args.get("expressions"):
            scope.aliases = outputs
            for key in node.expressions:
                gather(key, LIMIT_BY, rows, scope)

            scope.aliases = {}


def connect(node: exp.Connect, scope: Scope, rows: Lineage) -> None:
    """Read a hierarchical query.

    START WITH boss IS NULL CONNECT BY PRIOR id = boss

    a filter, and a join of the table with itself
    """
    start = node.args.get("start")
    if start is not None:
        scope.clause = Clause.WHERE
        gather(start, FILTERS, rows, scope)

    scope.clause = Clause.JOIN_ON
    gather(node.args["connect"], JOINS, rows, scope)
