"""Groups: groupBy, rollup, cube, agg, pivot, and the frames that describe or reshape one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.expression import AGGREGATED, CONDITION, COUNTED
from lineal.algebra.frame import PatternColumns, Slot, Star, star_slot
from lineal.algebra.lineage import Expression, Lineage, absorb, add_doubt, pour, unite_lineages
from lineal.algebra.relation import (
    decided_rows,
    everything_in,
    group,
    pivot_cell,
    put_side_by_side,
    reopen,
)
from lineal.algebra.relation import unpivot as unpivot_frame
from lineal.extract.pyspark.columns.functions import columns_of, function
from lineal.extract.pyspark.columns.trees import column
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.map_order import map_order
from lineal.extract.pyspark.frames.project import (
    note_type,
    project_items,
    take_findings,
    without_lists,
)
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.knowledge import is_known
from lineal.extract.pyspark.relation import Attribute, Relation, fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.types import is_numeric, is_text_type, schema_of
from lineal.extract.pyspark.values import ColumnValue, Grouped, Value, note_of, trees_of
from lineal.extract.sql.expressions import expression_in, gather
from lineal.extract.sql.naming import output_name
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset, Doubt
from lineal.model.sequences import all_are, first_of_each, instances
from lineal.model.way import IDENTITY, Clause, Confidence, Way

OPAQUE = Doubt(Confidence.LOW, False, "made by a Python function: from any of the columns")


def group_by(run: Run, relation: Relation, call: Invocation) -> Value:
    """Group a DataFrame.

    df.groupBy("a", col("b"))      also by position: groupBy(1)
    """
    keys = []
    for argument in without_lists(call.arguments):
        if isinstance(argument, int) and not isinstance(argument, bool) and relation.complete:
            if 0 < argument <= len(relation.attributes):
                keys.append(
                    ColumnValue(column(run, relation.attributes[argument - 1].slot.name, call.node))
                )
        else:
            keys.extend(columns_of(run, [argument], call.node))

    return Grouped(relation, keys)


def grouping_sets(run: Run, relation: Relation, call: Invocation) -> Value:
    """Group a DataFrame by several sets of keys.

    df.groupingSets([["a"], []], "a", "b")
    """
    return Grouped(relation, columns_of(run, call.arguments[1:], call.node))


def agg(run: Run, relation: Relation, call: Invocation) -> Value:
    """Aggregate a whole DataFrame.

    df.agg(…)      the whole is one group
    """
    return aggregate_groups(run, Grouped(relation, []), expressions(run, call), call.node)


def expressions(run: Run, call: Invocation) -> list[ColumnValue]:
    """Return the aggregates that a call is given.

    agg(F.sum("a"), …), agg({"a": "sum"})
    """
    if len(call.arguments) == 1 and isinstance(call.arguments[0], dict):
        found = []
        given = call.arguments[0]
        names = map_order(given) if all_are(given, str) else list(given)

        for name in names:
            called = given[name]
            if isinstance(called, str) and isinstance(name, str):
                made = function(run, called, call.with_arguments([name], {}))
                if isinstance(made, ColumnValue):
                    found.append(made)
            else:
                run.dynamic(
                    note_of("an aggregate", called if isinstance(name, str) else name), call.node
                )

        return found

    return columns_of(run, call.arguments, call.node)


def key_expression(key: ColumnValue, scope: FrameScope) -> Expression:
    """A key of groupBy; one that only one branch of the program has is less certain."""
    exact = expression_in(scope, key.tree)
    doubt = key.doubt
    if doubt is None:
        return exact

    def doubtful(way: Way, into: Lineage) -> None:
        """Pour the key's lineage with the doubt about it."""
        lineage: Lineage = {}
        exact(way, lineage)
        absorb(add_doubt(lineage, doubt), into)

    return doubtful


def aggregate_groups(
    run: Run, grouped: Grouped, items: list[ColumnValue], node: ast.AST
) -> Relation:
    """Return the DataFrame of aggregated groups.

    GROUP BY keys: the keys first, then the aggregates
    """
    relation = grouped.relation
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.GROUP_BY)
    keys = [key_expression(key, scope) for key in grouped.keys]
    rows = reopen(group(decided_rows(relation.rows), keys, ())).rows
    scope.clause = Clause.SELECT
    kept = project_items(run, relation, grouped.keys, scope, rows)

    if grouped.pivot is not None:
        attributes = [*kept, *pivot_groups(run, grouped, items, scope, rows)]
    else:
        made = [with_keys(aggregate_of(item), grouped.keys) for item in items]
        attributes = [*kept, *project_items(run, relation, made, scope, rows)]

    found = relation.derive(attributes, rows, evaluation)
    found.under = None
    return take_findings(run, found, evaluation)


def aggregate_of(item: ColumnValue) -> ColumnValue:
    """Return the tree of an aggregate.

    an unknown function in agg() aggregates
    """
    if isinstance(item.tree, exp.Anonymous) and not item.tree.find(exp.AggFunc):
        return ColumnValue(
            exp.AnonymousAggFunc(this=item.tree.this, expressions=item.tree.expressions),
            item.names,
            item.doubt,
        )

    return item


def with_keys(item: ColumnValue, keys: list[ColumnValue]) -> ColumnValue:
    """Give grouping_id() its keys.

    F.grouping_id()      of every key
    """
    if isinstance(item.tree, exp.AggFunc) and item.tree.this.__class__ in (exp.Column, exp.Star):
        return item  # sum("x"), as most are

    for call in item.tree.find_all(exp.Func):
        called = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
        if called.lower() == "grouping_id" and not any(True for _ in call.iter_expressions()):
            call.set("expressions", [key.tree.copy() for key in keys])

    return item


def pivot_groups(
    run: Run, grouped: Grouped, items: list[ColumnValue], scope: FrameScope, rows: Lineage
) -> list[Attribute]:
    """Return the columns of pivoted groups.

    groupBy("a").pivot("kind", ["x", "y"]).sum("v")

    x, y ← v AGGREGATION, kind CONDITIONAL
    """
    assert grouped.pivot is not None
    deciding: Lineage = {}
    gather(grouped.pivot.tree, CONDITION, deciding, scope)
    found: list[Attribute] = []
    lineages, suffixes = [], []

    for position, item in enumerate(items):
        lineage: Lineage = {}
        gather(aggregate_of(item).tree, IDENTITY, lineage, scope)
        lineages.append(pivot_cell(lineage, deciding))
        own = item.names[0] if item.names else output_name(item.tree, position, scope.evaluation)[0]
        suffixes.append(f"_{own}" if len(items) > 1 else "")

    for value in grouped.pivot_values if grouped.pivot_values is not None else [None]:
        for item, lineage, suffix in zip(items, lineages, suffixes, strict=True):
            made = pivot_column(value, suffix, lineage, grouped.pivot, scope)
            found.append(
                made if value is None else note_type(grouped.relation, item.tree, made, scope)
            )

    return found


def pivot_column(
    value: Value, suffix: str, lineage: Lineage, pivot: ColumnValue, scope: FrameScope
) -> Attribute:
    """Build a column of a pivot.

    x_total; <pivot:kind>_total, which answers for every name that ends in _total
    """
    if value is None:
        label = "_".join(column.name for column in pivot.tree.find_all(exp.Column, bfs=False))
        return fresh(
            star_slot(
                Star(
                    Dataset("", f"<pivot:{label}>{suffix}"),
                    made=PatternColumns(lineage, "", suffix),
                )
            )
        )

    label = str(value).lower() if isinstance(value, bool) else str(value)
    return fresh(Slot(label + suffix, (label + suffix).lower(), lineage))


# -- methods of GroupedData ------------------------------------------------------------------------


def grouped_agg(run: Run, grouped: Grouped, call: Invocation) -> Value:
    """Aggregate groups.

    .agg(F.sum("x")), .agg({"x": "sum"})
    """
    return aggregate_groups(run, grouped, expressions(run, call), call.node)


def grouped_count(run: Run, grouped: Grouped, call: Invocation) -> Value:
    """Count the rows of groups.

    groupBy("a").count()
    """
    return aggregate_groups(
        run, grouped, [ColumnValue(exp.Count(this=exp.Star(), big_int=True), ("count",))], call.node
    )


def grouped_shortcut(name: str) -> Any:
    """Return the method that applies one aggregate to groups.

    .count(), .sum("x")
    """

    def shortcut(run: Run, grouped: Grouped, call: Invocation) -> Value:
        """Apply one aggregate to columns of groups.

        groupBy("a").sum("x", "y")      all numeric columns if none is named
        """
        names = without_lists(call.arguments)
        if not names:
            names = numeric_names(run, grouped, call.node)

        items = [function(run, name, call.with_arguments([each], {})) for each in names]
        return aggregate_groups(run, grouped, instances(items, ColumnValue), call.node)

    return shortcut


def numeric_names(run: Run, grouped: Grouped, node: ast.AST) -> list[str]:
    """Return the columns that .sum() without names adds up."""
    relation = grouped.relation
    keys = {key.tree.name.lower() for key in grouped.keys if isinstance(key.tree, exp.Column)}
    if not relation.complete:
        run.report(
            Code.UNSUPPORTED_CONSTRUCT,
            "the numeric columns of an unknown schema are not known",
            node,
        )

    return [
        attribute.slot.name
        for attribute in relation.attributes
        if attribute.slot.star is None
        and attribute.key not in keys
        and is_numeric(relation.types.get(attribute.id, "int"))
    ]


def pivot(run: Run, grouped: Grouped, call: Invocation) -> Value:
    """Pivot groups.

    .pivot("kind", ["x", "y"])
    """
    wanted = call.argument(0, "pivot_col")
    values = call.argument(1, "values")
    known = list(values) if isinstance(values, (list, tuple)) and is_known(values) else None
    if known is None:
        run.report(
            Code.DYNAMIC, "the columns of a pivot whose values only the data knows", call.node
        )

    return Grouped(grouped.relation, grouped.keys, columns_of(run, [wanted], call.node)[0], known)


class Applied(NamedTuple):
    """The arguments of a Python function: the DataFrames, and the keys of their groups."""

    sides: tuple[Relation, ...]
    keys: Sequence[ColumnValue] = ()


def apply_function(run: Run, grouped: Grouped, call: Invocation) -> Value:
    """Apply a Python function to groups.

    groupBy("a").applyInPandas(f, schema)      every declared column ← all columns, LOW
    """
    keys = trees_of(grouped.keys)
    evaluation = run.evaluation()
    scope = FrameScope(grouped.relation, evaluation, Clause.GROUP_BY)
    by_keys = [expression_in(scope, tree) for tree in keys]
    rows = group(decided_rows(grouped.relation.rows), by_keys, ()).rows
    applied = Applied(grouped.sides or (grouped.relation,), grouped.keys)
    made = in_python(run, grouped.relation, call, applied)
    found = made.derive(None, unite_lineages([rows, made.rows]), evaluation)
    return take_findings(run, found, evaluation)


def in_python(
    run: Run,
    relation: Relation,
    call: Invocation,
    applied: Applied | None = None,
) -> Relation:
    """Apply a Python function to a DataFrame.

    df.mapInPandas(f, "id INT, x DOUBLE")
    """
    declared = [call.keywords[name] for name in SCHEMA_NAMES if name in call.keywords]
    schema = schema_of(run, next(iter(declared), argument_at(call.arguments, 1)), call.node)
    titles = first_of_each(schema.fields) if schema is not None else []
    for follow in IN_PANDAS:
        function = call.argument(0, "func")
        followed = follow(run, applied or Applied((relation,)), function, titles, call.node)
        if followed is not None:
            return followed

    run.dynamic("columns that a Python function makes", call.node, Confidence.LOW)
    lineage = everything_in(relation.frame.slots, OPAQUE)
    names = first_of_each(schema.fields) if schema is not None else []
    found = relation.derive([fresh(Slot(name, name.lower(), lineage)) for name in names])
    found.types = {
        a.id: t
        for a, (_, t) in zip(found.attributes, schema.fields if schema else [], strict=False)
    }
    return found


SCHEMA_NAMES = ("schema", "outputStructType")
"""The parameters that declare the columns of a Python function over groups or streams."""

Follow = Callable[[Run, Applied, Value, list[str], Any], Relation | None]

IN_PANDAS: list[Follow] = []
"""A function that follows a body over frames of pandas, given the names of its columns."""


def cogroup(run: Run, grouped: Grouped, call: Invocation) -> Value:
    """Group two DataFrames together.

    a.groupBy("k").cogroup(b.groupBy("k")).applyInPandas(f, schema)

    of the columns of both
    """
    other = call.argument(0, "other")
    if not isinstance(other, Grouped):
        run.dynamic("groups that only a run knows", call.node)
        return grouped

    left, right = grouped.relation, other.relation
    evaluation = run.evaluation()
    keys = [
        expression_in(FrameScope(side.relation, evaluation, Clause.GROUP_BY), key.tree)
        for side in (grouped, other)
        for key in side.keys
    ]
    met = put_side_by_side([decided_rows(left.rows), decided_rows(right.rows)])
    both = Relation([*left.attributes, *right.attributes], group(met, keys, ()).rows, (left, right))
    both.evaluation = evaluation
    return Grouped(take_findings(run, both, evaluation), [], sides=(left, right))


GROUPED = {
    "cogroup": cogroup,
    "agg": grouped_agg,
    "count": grouped_count,
    **{name: grouped_shortcut(name) for name in ("sum", "avg", "min", "max")},
    "mean": grouped_shortcut("avg"),
    "pivot": pivot,
    "applyInPandas": apply_function,
    "applyInArrow": apply_function,
    "apply": apply_function,
    "applyInPandasWithState": apply_function,
    "transformWithStateInPandas": apply_function,
}


# -- describe, unpivot -----------------------------------------------------------------------------


def frequent_items(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return the frequent items of columns.

    df.freqItems(["a"])      a_freqItems ← a AGGREGATION
    """
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.SELECT)
    attributes = []

    for item in columns_of(run, call.arguments[:1] or [call.keywords.get("cols")], call.node):
        lineage: Lineage = {}
        gather(item.tree, AGGREGATED, lineage, scope)
        name = f"{output_name(item.tree, 0, evaluation)[0]}_freqItems"
        attributes.append(fresh(Slot(name, name.lower(), lineage)))

    return take_findings(run, relation.derive(attributes, None, evaluation), evaluation)


def describe(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return statistics of columns.

    df.describe("a")      summary, and a ← a AGGREGATION
    """
    names = instances(without_lists(call.arguments), str)
    if getattr(getattr(call.node, "func", None), "attr", "") == "summary" or not names:
        names = relation.names

    names = [name for name in names if is_described(relation, name)]
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.SELECT)
    attributes = [fresh(Slot("summary", "summary", {}))]

    for name in names:
        tree = column(run, name, call.node)
        lineage: Lineage = {}
        pour(scope.column(tree).lineage, AGGREGATED, lineage, tree)
        pour(scope.column(tree).lineage, COUNTED, lineage, tree)
        attributes.append(fresh(Slot(name, name.lower(), lineage)))

    return take_findings(run, relation.derive(attributes, None, evaluation), evaluation)


def is_described(relation: Relation, name: str) -> bool:
    """Of dates, arrays and structs there is no summary."""
    kinds = [relation.types.get(each.id, "") for each in relation.by_key.get(name.lower(), ())]
    return all(not kind or is_numeric(kind) or is_text_type(kind) for kind in kinds)


def crosstab(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return a cross table of two columns.

    df.crosstab("a", "b")

    a_b ← a; a column for each value of b, which only the data knows
    """
    given = dict(zip(("col1", "col2"), call.arguments, strict=False)) | call.keywords
    first, second = given.get("col1"), given.get("col2")
    if not isinstance(first, str) or not isinstance(second, str):
        run.dynamic(note_of("columns", second if isinstance(first, str) else first), call.node)
        return relation.derive([])

    text = exp.Cast(this=column(run, first, call.node), to=exp.DataType.build("string"))
    test = exp.If(
        this=exp.Is(this=column(run, first, call.node), expression=exp.Null()),
        true=exp.Literal.string("null"),
    )
    key = ColumnValue(exp.Case(ifs=[test], default=text), (f"{first}_{second}",))
    run.report(
        Code.DYNAMIC, "the columns of a crosstab, whose values only the data knows", call.node
    )
    counted = Grouped(relation, [key], ColumnValue(column(run, second, call.node)))
    return aggregate_groups(
        run, counted, [ColumnValue(exp.Count(this=exp.Star(), big_int=True), ("count",))], call.node
    )


def unpivot(run: Run, relation: Relation, call: Invocation) -> Value:
    """Turn columns into rows.

    df.unpivot("id", ["a", "b"], "kind", "value")

    value ← a, b IDENTITY; kind has no source
    """
    order = ("ids", "values", "variableColumnName", "valueColumnName")
    given = dict(zip(order, call.arguments, strict=False)) | call.keywords
    ids = columns_of(run, [given.get("ids") if given.get("ids") is not None else []], call.node)
    values = (
        columns_of(run, [given.get("values")], call.node)
        if given.get("values") is not None
        else None
    )
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.SELECT)
    rows: Lineage = dict(relation.rows)
    kept = project_items(run, relation, ids, scope, rows)

    if values is None:
        held = {attribute.id for attribute in kept}
        members = [each for each in relation.attributes if each.id not in held]
    else:
        members = project_items(run, relation, values, scope, rows)

    names = [given.get("variableColumnName"), given.get("valueColumnName")]
    label, name = (each if isinstance(each, str) else "{name}" for each in names)
    melted = unpivot_frame(
        decided_rows(rows),
        [],
        [(name, name.lower())],
        [[each.slot.lineage] for each in members],
        (label, label.lower()),
        label_first=True,
        drops_nulls=False,
    )
    made = [*kept, *map(fresh, melted.slots)]
    return take_findings(run, relation.derive(made, melted.rows, evaluation), evaluation)
