"""MATCH_RECOGNIZE: rows in order, matched against a pattern; a match gives one row, or its rows."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import MATCH_CONDITIONS, MATCH_KEYS
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.functions import Role
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import narrow, project
from lineal.extract.sql.expressions import expression_in, listed_row, value_of
from lineal.extract.sql.nodes import holds, list_arg
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source
from lineal.model.way import IDENTITY


def match_recognize_frame(node: exp.MatchRecognize, source: Source, scope: Scope) -> Frame:
    """Return the frame of a MATCH_RECOGNIZE.

    MATCH_RECOGNIZE (PARTITION BY a ORDER BY b MEASURES last(x.c) AS m PATTERN (x y+) DEFINE y AS
    d > 0)

    a and b decide which rows stand together, and in which order: WINDOW. d decides which of them
    match: FILTER. Measures are values. One row per match has the partition's keys and the measures,
    all rows have every column.
    """
    for variable in variables(node):
        scope.sources[scope.evaluation.fold_table(variable, False)] = source

    keys = list(list_arg(node, "partition_by"))
    order = node.args.get("order")
    ordered = [item.this for item in order.expressions] if order is not None else []
    defined = [rewrite_navigation(definition.this) for definition in list_arg(node, "define")]
    kept = narrow(
        source.frame, MATCH_KEYS, [expression_in(scope, key) for key in (*keys, *ordered)]
    )
    kept = narrow(kept, MATCH_CONDITIONS, [expression_in(scope, each) for each in defined])
    measures = [measure_slot(measure.this, scope) for measure in list_arg(node, "measures")]
    partition = [key_slot(key, scope) for key in keys]
    if not str(node.args.get("rows") or "").upper().startswith("ALL"):
        return project(kept, [*partition, *measures])

    return project(
        kept,
        all_rows(partition, [key_slot(key, scope) for key in ordered], measures, source, scope),
    )


def all_rows(
    partition: list[Slot], ordered: list[Slot], measures: list[Slot], source: Source, scope: Scope
) -> list[Slot]:
    """Return the columns of ALL ROWS PER MATCH."""
    if scope.evaluation.facts.all_columns_first:
        return [*source.frame.slots, *measures]

    taken = {slot.key for slot in (*partition, *ordered)}
    first = list({slot.key: slot for slot in (*partition, *ordered)}.values())
    return [*first, *measures, *(slot for slot in source.frame.slots if slot.key not in taken)]


def variables(node: exp.MatchRecognize) -> list[str]:
    """Return the names that stand for rows of a match.

    PATTERN (strt down+ up*) DEFINE down AS …

    strt, down and up stand for rows, not for tables

    SUBSET moves = (down, up)      so does whatever else qualifies a column in here
    """
    pattern = node.args.get("pattern")
    words = re.findall(r"[^\W\d]\w*", pattern.name) if pattern is not None else []
    inside = [*(list_arg(node, "measures")), *(list_arg(node, "define"))]
    qualifiers = [
        column.table for each in inside for column in each.find_all(exp.Column) if column.table
    ]
    return [
        *words,
        *(definition.alias for definition in list_arg(node, "define")),
        *qualifiers,
    ]


def key_slot(node: exp.Expr, scope: Scope) -> Slot:
    """Return the slot of a partition or order key."""
    name = node.this if isinstance(node, exp.Column) else exp.to_identifier(node.sql())
    lineage = value_of(node, IDENTITY, scope)
    return Slot(name.name, scope.evaluation.fold(name.name, name.args.get("quoted")), lineage)


def measure_slot(node: exp.Alias, scope: Scope) -> Slot:
    """Return the slot of a measure.

    last(x.price) AS bottom
    """
    lineage: Lineage = value_of(rewrite_navigation(node.this), IDENTITY, scope)
    alias = node.args["alias"]
    return Slot(alias.name, scope.evaluation.fold(alias.name, alias.args.get("quoted")), lineage)


def rewrite_navigation(node: exp.Expr) -> Any:
    """Rewrite the navigation functions of a measure.

    FIRST(a), LAST(a)      the value in one row of the match, as over a window: no aggregate
    """
    return node.transform(_over_the_match)


def _over_the_match(node: exp.Expr) -> Any:
    """Turn FIRST(a), LAST(a) into a window function and count(x.*) into count(*)."""
    if holds(node, exp.Count, exp.Column) and node.this.is_star:
        return exp.Count(this=exp.Star())  # count(x.*): how many rows are x

    row = listed_row(node) if isinstance(node, exp.Func) else None
    if row is None or row.role is not Role.VALUE_AT or isinstance(node.parent, exp.Window):
        return node

    return exp.Window(this=node)
