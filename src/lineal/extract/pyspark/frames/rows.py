"""Rows of a DataFrame: filter, sort, distinct, limit."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import DISTINCT_ON, FILTERS, SORTS
from lineal.algebra.relation import compare, decided_rows, narrow
from lineal.algebra.relation import distinct as without_repetition
from lineal.extract.pyspark.collected import put_collected
from lineal.extract.pyspark.columns.functions import columns_of
from lineal.extract.pyspark.columns.trees import parse_items
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.project import take_findings, without_lists
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    ColumnValue,
    Library,
    Pattern,
    Unknown,
    Value,
    note_of,
    trees_of,
)
from lineal.extract.sql.expressions import expression_in
from lineal.model.sequences import instances
from lineal.model.way import Clause, Confidence, Way


def narrow_relation(
    run: Run, relation: Relation, trees: list[Any], way: Way, clause: Clause, lenient: bool = False
) -> Relation:
    """Return a relation with the same columns; the columns in the expressions decide its rows."""
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, clause, lenient)
    kept = narrow(decided_rows(relation.rows), way, [expression_in(scope, tree) for tree in trees])
    return take_findings(run, relation.derive(None, kept.rows, evaluation), evaluation)


def filter_(run: Run, relation: Relation, call: Invocation) -> Value:
    """Filter rows.

    df.filter(col("a") > 1), df.where("a > 1")
    """
    condition = call.argument(0, "condition")
    if isinstance(condition, str):
        items = parse_items(run, condition, call.node)[:1]
        known = [put_collected(item, condition) for item in items]
        if isinstance(condition, Pattern) and not all(known):
            run.dynamic(
                "a part of a condition is only known when it runs", call.node, condition.level
            )

        return narrow_relation(run, relation, items, FILTERS, Clause.WHERE, lenient=True)

    if isinstance(condition, ColumnValue):
        return narrow_relation(run, relation, [condition.tree], FILTERS, Clause.WHERE, lenient=True)

    if isinstance(condition, (Unknown, Library)):
        run.dynamic(
            note_of("a condition", condition),
            call.node,
            getattr(condition, "level", Confidence.UNKNOWN),
        )

    return relation.derive()


def sort(run: Run, relation: Relation, call: Invocation) -> Value:
    """Sort rows.

    df.orderBy("a", F.desc("b"))
    """
    trees = list(map(_key, columns_of(run, without_lists(call.arguments), call.node)))
    return narrow_relation(run, relation, trees, SORTS, Clause.ORDER_BY, lenient=True)


def sample_by(run: Run, relation: Relation, call: Invocation) -> Value:
    """Sample rows by a column.

    df.sampleBy("kind", {"a": 0.1})      the column decides how many of its rows are kept
    """
    given = [*call.arguments[:1], *(call.keywords[key] for key in ("col",) if key in call.keywords)]
    trees = trees_of(columns_of(run, given, call.node))
    return narrow_relation(run, relation, trees, FILTERS, Clause.WHERE)


def _key(item: ColumnValue) -> Any:
    """Return the expression that a sort key sorts by."""
    if isinstance(item.tree, exp.Ordered):
        return item.tree.this

    return item.tree


def distinct(run: Run, relation: Relation, call: Invocation) -> Value:
    """Drop duplicate rows.

    df.distinct()      every column is compared
    """
    made = relation.derive(None, without_repetition(relation.frame).rows)
    made.under = None
    return made


def drop_duplicates(run: Run, relation: Relation, call: Invocation) -> Value:
    """Drop rows with duplicate keys.

    df.dropDuplicates(["a", "b"])      a and b are compared
    """
    keys = call.argument(0, "subset")
    if keys is None:
        return distinct(run, relation, call.with_arguments([], {}))

    listed = keys if isinstance(keys, (list, tuple)) else call.arguments
    items = columns_of(run, list(listed), call.node)
    return narrow_relation(run, relation, trees_of(items), DISTINCT_ON, Clause.DISTINCT_ON)


def same_frame(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return the DataFrame itself.

    df.cache(), df.limit(10), df.repartition(8, "a")

    the same columns, and no column decides the rows
    """
    return relation.derive()


def drop_nulls(run: Run, relation: Relation, call: Invocation) -> Value:
    """Drop rows with nulls.

    df.dropna(subset=["a"])      what is null in a row decides whether it stays
    """
    subset = call.keywords.get("subset")
    if subset is None:
        positional = instances(call.arguments, (list, tuple))
        subset = positional[0] if positional else argument_at(call.arguments, 2)

    if subset is None:
        rows = dict(relation.rows)
        compare(relation.frame.slots, FILTERS, rows)
        return relation.derive(None, rows)

    listed = [subset] if isinstance(subset, str) else subset
    items = columns_of(run, [listed], call.node)
    return narrow_relation(run, relation, trees_of(items), FILTERS, Clause.WHERE)
