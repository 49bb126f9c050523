"""Methods of Snowpark frames: one row each; most are methods of Spark's DataFrame by other names."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import LATERAL
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import SetOperation, decided_rows, narrow, set_operation
from lineal.algebra.relation import distinct as without_repetition
from lineal.extract.dataframes.snowpark.values import SideSuffix, SnowFrame, SnowGroups, SnowWriter
from lineal.extract.dataframes.sources import use_dialect, write_table
from lineal.extract.dataframes.untraced import collected_values, method_name, report_untraced
from lineal.extract.pyspark.columns.functions import columns_of, function
from lineal.extract.pyspark.columns.trees import bound_column, column, identifier
from lineal.extract.pyspark.dispatch import ACTIONS, relation_in
from lineal.extract.pyspark.dispatch import FRAME_METHODS as SPARK
from lineal.extract.pyspark.frame_libraries import TRACED
from lineal.extract.pyspark.frame_scope import Bound, FrameScope
from lineal.extract.pyspark.frames.groups import GROUPED, aggregate_groups
from lineal.extract.pyspark.frames.project import lineage_of, take_findings, without_lists
from lineal.extract.pyspark.frames.sets import relation_of_slots
from lineal.extract.pyspark.invocation import Arguments, Invocation, argument_at
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sinks import temporary_view
from lineal.extract.pyspark.values import ColumnValue, Grouped, Unknown, Value, note_of, trees_of
from lineal.extract.sql.expressions import expression_in
from lineal.extract.sql.nodes import meta_of
from lineal.model.sequences import all_are, as_list, present
from lineal.model.way import Clause

DIALECT = "snowflake"
FrameMethod = Callable[[Run, SnowFrame, Invocation], Value]


def wrap(held: Value, frame: SnowFrame | None = None) -> Value:
    """Return what a method of Spark gives as a value of Snowpark."""
    suffixes = frame.suffixes if frame is not None else ()
    if isinstance(held, Relation):
        return SnowFrame(held, suffixes=suffixes)

    if isinstance(held, Grouped):
        return SnowGroups(held)

    if isinstance(held, list):
        return [wrap(each, frame) for each in held]

    return held


def unwrap(held: Value) -> Value:
    """Return a frame as the relation that Spark's methods take."""
    found = relation_in(held)
    if found is None:
        return held

    return found


def as_in_spark(name: str) -> FrameMethod:
    """Return a method that Spark has under a name of its own: df.with_column("a", …)"""

    def method(run: Run, frame: SnowFrame, call: Invocation) -> Value:
        """Call Spark's method of the same meaning, with the frame's relation."""
        handler = SPARK.get(name) or ACTIONS[name]
        given = [settle(run, frame, unwrap(each), call.node) for each in call.arguments]
        named = {
            key: settle(run, frame, unwrap(each), call.node) for key, each in call.keywords.items()
        }
        with use_dialect(run, DIALECT):
            return wrap(handler(run, frame.relation, call.with_arguments(given, named)), frame)

    return method


def settle(run: Run, frame: SnowFrame, held: Value, node: ast.AST) -> Value:
    """Resolve the names that a join gave to columns of a frame of unknown columns.

    a.join(b, …, rsuffix="_b").select("x_b")      x of b
    """
    if not frame.suffixes:
        return held

    if isinstance(held, str):
        found = of_right_side(frame, column(run, held, node))
        if found is None:
            return held

        return ColumnValue(found, (held,))

    if not isinstance(held, ColumnValue):
        return held

    def resolve(part: Any) -> Any:
        """Replace a column of a join's right side with the column it became."""
        found = of_right_side(frame, part) if isinstance(part, exp.Column) else None
        if found is None:
            return part

        return found

    names = held.names or ((held.tree.name,) if isinstance(held.tree, exp.Column) else ())
    tree = held.tree.transform(resolve)
    if tree == held.tree:
        return held

    return ColumnValue(tree, names, held.doubt)


def of_right_side(frame: SnowFrame, node: Any) -> Any | None:
    """Return the column of one side of a join that a name means: x_b is x of b, and x that of a."""
    name = node.name if isinstance(node, exp.Column) else ""
    if not name or name.lower() in frame.relation.by_key or "bound" in node.meta:
        return None

    for suffix in frame.suffixes:
        is_right = name.lower().endswith(suffix.text.lower())
        base = name[: -len(suffix.text)] if is_right else name
        is_left = f"{name}{suffix.text}".lower() in suffix.program
        side = suffix.own if is_right else suffix.other
        if (is_right or is_left) and len(side.stars) == 1:
            made = exp.Column(this=identifier(base))
            bound = Bound(side, side.stars[0].id, base.lower())
            made._meta = {**meta_of(node), "bound": bound}
            return made

    return None


# -- methods that differ from Spark's --------------------------------------------------------------


def join(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """a.join(b, "id", "left", rsuffix="_b"), a.join(b, a["id"] == b["key"])"""
    given = dict(zip(("right", "on", "how"), call.arguments, strict=False)) | call.keywords
    other = relation_in(given.get("right"))
    if other is None:
        run.dynamic(note_of("a join with a DataFrame", given.get("right")), call.node)
        return SnowFrame(Relation([*frame.relation.attributes, open_star()], {}, (frame.relation,)))

    on = given.get("on", given.get("using_columns"))
    how = given.get("how", given.get("join_type", "inner"))
    condition = given.get("match_condition")
    both = present((on, condition))
    keys = both[0] if len(both) == 1 else both or None
    found = SPARK["join"](run, frame.relation, call.with_arguments([other, keys, how], {}))
    assert isinstance(found, Relation)
    return with_suffixes(frame, other, found, given, run.reading.script.text)


def with_suffixes(
    frame: SnowFrame, other: Relation, found: Relation, given: dict[str, Value], program: str
) -> SnowFrame:
    """Rename the columns that both sides of a join have."""
    left = {each.id for each in frame.relation.attributes}
    names: dict[str, int] = {}
    for each in found.attributes:
        names[each.key] = names.get(each.key, 0) + 1

    attributes = []
    for each in found.attributes:
        side = "lsuffix" if each.id in left else "rsuffix"
        suffix = given.get(side)
        if isinstance(suffix, str) and suffix and names[each.key] > 1 and each.slot.star is None:
            name = f"{each.slot.name}{suffix}"
            each = each._replace(slot=each.slot._replace(name=name, key=name.lower(), scanned=None))

        attributes.append(each)

    made = found.derive(attributes)
    made.hidden = found.hidden
    sides = {"lsuffix": (frame.relation, other), "rsuffix": (other, frame.relation)}
    suffixes = [
        SideSuffix(text, own, rest, program.lower())
        for side, (own, rest) in sides.items()
        if isinstance(text := given.get(side), str) and text
    ]
    return SnowFrame(made, suffixes=(*frame.suffixes, *suffixes))


def cross_join(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """a.cross_join(b, rsuffix="_b")"""
    return join(run, frame, call.with_arguments(call.arguments[:1]))


def natural_join(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """a.natural_join(b)      on the columns that both have"""
    other = relation_in(call.argument(0, "right"))
    if other is None or not frame.relation.complete or not other.complete:
        run.dynamic("a natural join over columns that are not known", call.node)
        return SnowFrame(Relation([open_star()], {}, (frame.relation,)))

    common = [name for name in frame.relation.names if name.lower() in other.by_key]
    return join(
        run,
        frame,
        call.with_arguments(
            [other], {"on": common, "how": argument_at(call.arguments, 1, "inner")}
        ),
    )


def with_columns(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.with_columns(["a", "b"], [col("x"), col("y") + 1])"""
    names = items_of(call.argument(0, "col_names")) or []
    values = items_of(call.argument(1, "values")) or []
    if not names or len(names) != len(values):
        run.dynamic(note_of("columns", argument_at(call.arguments)), call.node)
        return frame

    given = {
        name: settle(run, frame, each, call.node) for name, each in zip(names, values, strict=True)
    }
    return wrap(SPARK["withColumns"](run, frame.relation, call.with_arguments([given], {})), frame)


def rename(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.rename("a", "b"), df.rename({"a": "b"}), df.with_column_renamed(col("a"), "b")"""
    first = argument_at(
        call.arguments, 0, call.keywords.get("existing", call.keywords.get("col_or_mapper"))
    )
    new = argument_at(call.arguments, 1, call.keywords.get("new", call.keywords.get("new_column")))
    given = first.items() if isinstance(first, dict) else [(first, new)]
    pairs = {name_of(old): name for old, name in given}
    return wrap(
        SPARK["withColumnsRenamed"](run, frame.relation, call.with_arguments([pairs], {})), frame
    )


def name_of(held: Value) -> Value:
    """col("a")      Return the name of a column."""
    if isinstance(held, ColumnValue) and isinstance(held.tree, exp.Column):
        return held.tree.name

    return held


def drop_duplicates(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.drop_duplicates("a", "b"), df.drop_duplicates(["a"])"""
    keys = without_lists(call.arguments)
    given = [keys] if keys else []
    return wrap(SPARK["dropDuplicates"](run, frame.relation, call.with_arguments(given, {})), frame)


def union(kind: SetOperation, by_name: bool = False) -> FrameMethod:
    """Return the method of a set operation: df.union(other) compares rows, df.union_all does not"""

    def method(run: Run, frame: SnowFrame, call: Invocation) -> Value:
        """Return the rows of both frames, by position or by name."""
        other = relation_in(call.argument(0, "other"))
        if other is None:
            run.dynamic("a DataFrame that only a run knows", call.node)
            return SnowFrame(Relation([open_star()], {}, (frame.relation,)))

        if by_name:
            made = SPARK["unionByName"](run, frame.relation, call.with_arguments([other], {}))
            assert isinstance(made, Relation)
            rows = (
                made.rows if kind is SetOperation.UNION_ALL else without_repetition(made.frame).rows
            )
            return SnowFrame(made.derive(None, rows))

        whole = set_operation(kind, [frame.relation.frame, other.frame])
        return SnowFrame(relation_of_slots(frame.relation, other, list(whole.slots), whole.rows))

    return method


def group_by(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.group_by("a", col("b"))"""
    given = [settle(run, frame, each, call.node) for each in without_lists(call.arguments)]
    return SnowGroups(Grouped(frame.relation, columns_of(run, given, call.node)))


def aggregate(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.agg(sum("a").as_("total")), df.agg(("a", "max"))"""
    return aggregate_all(run, SnowGroups(Grouped(frame.relation, [])), call.arguments, call.node)


def pivot(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.pivot("month", ["JAN", "FEB"]).sum("amount")      the other columns are keys"""
    return pivot_groups(run, SnowGroups(Grouped(frame.relation, [])), call)


def unpivot(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.unpivot("sales", "month", ["jan", "feb"])      rows with NULL are dropped"""
    order = ("value_column", "name_column", "column_list", "include_nulls")
    given = dict(zip(order, call.arguments, strict=False)) | call.keywords
    names = list(map(name_of, items_of(given.get("column_list")) or []))
    listed = {str(each).lower() for each in names}
    ids = [each for each in frame.relation.names if each.lower() not in listed]
    if not frame.relation.complete:
        run.dynamic("the other columns of an unpivot, over a schema that is not known", call.node)

    spark = [ids, names, given.get("name_column"), given.get("value_column")]
    made = SPARK["unpivot"](run, frame.relation, call.with_arguments(spark, {}))
    assert isinstance(made, Relation)
    if given.get("include_nulls"):
        return SnowFrame(made)

    value = exp.column(str(given.get("value_column")))
    dropped = SPARK["dropna"](run, made, call.with_arguments([], {"subset": [value.name]}))
    assert isinstance(dropped, Relation)
    return SnowFrame(dropped)


FLATTENED = ("SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS")


def flatten(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.flatten("items")      the columns of FLATTEN, from items"""
    held = call.argument(0, "input")
    return flatten_column(run, frame, columns_of(run, [held], call.node), call.node)


def flatten_column(
    run: Run, frame: SnowFrame, items: list[ColumnValue], node: ast.AST
) -> SnowFrame:
    """Add the columns of FLATTEN; the flattened column decides how many rows there are."""
    relation = frame.relation
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.LATERAL)
    trees = trees_of(items)
    rows = narrow(
        decided_rows(relation.rows), LATERAL, [expression_in(scope, each) for each in trees]
    )
    lineage: Lineage = {}
    for tree in trees:
        lineage = dict(lineage_of(exp.Anonymous(this="flatten", expressions=[tree]), scope))

    made = [fresh(Slot(name, name.lower(), {} if name == "SEQ" else lineage)) for name in FLATTENED]
    found = relation.derive([*relation.attributes, *made], rows.rows, evaluation)
    return SnowFrame(take_findings(run, found, evaluation))


def join_table_function(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.join_table_function("flatten", col("items"))"""
    name = argument_at(call.arguments)
    if isinstance(name, str) and name.lower() == "flatten":
        given = [*call.arguments[1:], *call.keywords.values()]
        return flatten_column(run, frame, columns_of(run, given[:1], call.node), call.node)

    return report_opaque(run, frame, call)


def writer(run: Run, frame: SnowFrame, name: str, node: ast.AST) -> Value:
    """df.write"""
    return SnowWriter(frame)


def create_view(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.create_or_replace_view("mart.orders_v"), df.create_or_replace_dynamic_table("t", …)"""
    name = call.argument(0, "name")
    write_table(run, frame.relation, join_name(name), call.node)
    return None


def create_temporary_view(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.create_or_replace_temp_view("recent")      later statements read the frame itself"""
    name = join_name(call.argument(0, "name"))
    if not isinstance(name, str) or "." in name:
        return create_view(run, frame, call)

    return temporary_view(run, frame.relation, call.with_arguments([name], {}))


def join_name(name: Value) -> Value:
    """["db", "schema", "orders"]      db.schema.orders"""
    if isinstance(name, (list, tuple)) and all_are(name, str):
        return ".".join(name)

    return name


def copy_into_table(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """session.read.csv("@stage").copy_into_table("raw.orders", target_columns=["id"])"""
    name = call.argument(0, "table_name")
    made = frame.relation
    wanted = call.keywords.get("transformations")
    if wanted is not None:
        found = SPARK["select"](run, made, call.with_arguments([wanted], {}))
        assert isinstance(found, Relation)
        made = found

    targets = items_of(call.keywords.get("target_columns"))
    if targets and made.complete:
        renamed = SPARK["toDF"](run, made, call.with_arguments([targets], {}))
        assert isinstance(renamed, Relation)
        made = renamed

    write_table(run, made, join_name(name), call.node, append=True)
    return None


def to_pandas(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.to_pandas(), df.to_polars()"""
    called = method_name(call.node, "")
    library = TRACED.get("polars" if "polars" in called else "pandas")
    if library is None or library.open_frame is None:
        return Unknown("to_pandas()", "pandas is not traced", inputs=(frame.relation,))

    return library.open_frame(run, frame.relation)


def column_named(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.col("a")"""
    return item_of_frame(run, frame, argument_at(call.arguments), call.node)


def item_of_frame(run: Run, frame: SnowFrame, key: Value, node: ast.AST) -> Value:
    """df["a"], df[["a", "b"]]"""
    if isinstance(key, str):
        return ColumnValue(bound_column(run, frame.relation, key, node))

    if isinstance(key, (list, tuple)):
        return wrap(SPARK["select"](run, frame.relation, Invocation(list(key), {}, node)), frame)

    if isinstance(key, ColumnValue):
        return wrap(SPARK["filter"](run, frame.relation, Invocation([key], {}, node)), frame)

    return Unknown("…", "an item that only a run knows")


def report_opaque(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """Report a method that is not followed."""
    return SnowFrame(
        report_untraced(run, frame.relation, f"DataFrame.{method_name(call.node)}", call.node)
    )


def values(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.collect(), df.count()      values that only the data knows"""
    return collected_values(frame.relation, call.node)


def count_rows(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.count()      the columns that decide the rows decide their number"""
    return ACTIONS["count"](run, frame.relation, call.with_arguments([], {}))


def show_frame(run: Run, frame: SnowFrame, call: Invocation) -> Value:
    """df.show()"""
    return None


SPARK_NAMES = {
    "select": "select", "select_expr": "selectExpr", "with_column": "withColumn", "drop": "drop",
    "to_df": "toDF", "alias": "alias", "filter": "filter", "where": "where", "sort": "sort",
    "order_by": "orderBy", "distinct": "distinct", "dropna": "dropna", "limit": "limit",
    "sample": "sample", "cache_result": "cache", "fillna": "fillna", "replace": "replace",
    "describe": "describe", "rollup": "rollup", "cube": "cube", "crosstab": "crosstab",
    "random_split": "randomSplit", "sample_by": "sampleBy",
}  # fmt: skip
"""Methods that mean what a method of Spark means."""

FRAME_METHODS: dict[str, FrameMethod] = {
    **{name: as_in_spark(spark) for name, spark in SPARK_NAMES.items()},
    **{spark: as_in_spark(spark) for spark in SPARK_NAMES.values() if spark != "cache"},
    "join": join,
    **dict.fromkeys(("cross_join", "crossJoin"), cross_join),
    "natural_join": natural_join,
    "with_columns": with_columns,
    **dict.fromkeys(("rename", "with_column_renamed", "withColumnRenamed"), rename),
    **dict.fromkeys(("drop_duplicates", "dropDuplicates"), drop_duplicates),
    "union": union(SetOperation.UNION),
    **dict.fromkeys(("union_all", "unionAll"), union(SetOperation.UNION_ALL)),
    **dict.fromkeys(("union_by_name", "unionByName"), union(SetOperation.UNION, by_name=True)),
    **dict.fromkeys(
        ("union_all_by_name", "unionAllByName"), union(SetOperation.UNION_ALL, by_name=True)
    ),
    "intersect": union(SetOperation.INTERSECT),
    **dict.fromkeys(("except_", "minus", "subtract"), union(SetOperation.EXCEPT)),
    **dict.fromkeys(("group_by", "groupBy"), group_by),
    "agg": aggregate,
    "pivot": pivot,
    "unpivot": unpivot,
    "flatten": flatten,
    "join_table_function": join_table_function,
    **dict.fromkeys(
        ("create_or_replace_view", "createOrReplaceView", "create_or_replace_dynamic_table"),
        create_view,
    ),
    **dict.fromkeys(
        ("create_or_replace_temp_view", "createOrReplaceTempView", "create_temp_view",
         "createTempView"),
        create_temporary_view,
    ),
    "copy_into_table": copy_into_table,
    **dict.fromkeys(("to_pandas", "toPandas", "to_polars", "to_snowpark_pandas"), to_pandas),
    "col": column_named,
    **dict.fromkeys(
        ("collect", "first", "take", "to_local_iterator", "toLocalIterator", "to_arrow",
         "collect_nowait", "to_pandas_batches", "approx_quantile", "corr", "cov"),
        values,
    ),
    "count": count_rows,
    **dict.fromkeys(("show", "explain", "print_schema", "printSchema"), show_frame),
}  # fmt: skip


def call_frame(run: Run, held: SnowFrame, name: str, call: Invocation) -> Value:
    """df.filter(col("a") > 1)"""
    handler = FRAME_METHODS.get(name)
    if handler is None:
        return report_opaque(run, held, call)

    return handler(run, held, call)


# -- groups ----------------------------------------------------------------------------------------


def pivot_groups(run: Run, held: SnowGroups, call: Invocation) -> Value:
    """df.group_by("a").pivot("month", ["JAN", "FEB"])      the columns are called 'JAN', 'FEB'"""
    given = dict(zip(("pivot_col", "values"), call.arguments, strict=False)) | call.keywords
    named = items_of(given.get("values"))
    spelled = [f"'{each}'" if isinstance(each, str) else each for each in named or []]
    found = GROUPED["pivot"](
        run, held.grouped, call.with_arguments([given.get("pivot_col"), spelled or None], {})
    )
    assert isinstance(found, Grouped)
    return SnowGroups(found)


def aggregate_all(run: Run, held: SnowGroups, arguments: Arguments, node: ast.AST) -> Value:
    """.agg(sum("a").as_("b"), ("c", "max")), .agg({"a": "sum"})"""
    items: list[ColumnValue] = []
    for each in flatten_arguments(arguments):
        if isinstance(each, dict):
            items += [pair_column(run, name, called, node) for name, called in each.items()]
        elif isinstance(each, tuple) and len(each) == 2:
            items.append(pair_column(run, each[0], each[1], node))
        else:
            items += columns_of(run, [each], node)

    grouped = with_other_keys(run, held.grouped, items, node)
    return wrap(aggregate_groups(run, grouped, items, node))


def flatten_arguments(arguments: Arguments) -> Arguments:
    """agg([sum("a"), max("b")])      the items of lists"""
    found: Arguments = []
    for each in arguments:
        found += as_list(each)

    return found


def pair_column(run: Run, name: Value, called: Value, node: ast.AST) -> ColumnValue:
    """("a", "sum")      sum(a)"""
    made = function(run, str(called), Invocation([name], {}, node))
    if isinstance(made, ColumnValue):
        return made

    return ColumnValue(exp.Null())


def with_other_keys(run: Run, grouped: Grouped, items: list[ColumnValue], node: ast.AST) -> Grouped:
    """df.pivot("month", …).sum("amount")      all columns that it does not name are keys"""
    if grouped.pivot is None or grouped.keys:
        return grouped

    trees = [grouped.pivot.tree, *trees_of(items)]
    named = {each.name.lower() for tree in trees for each in tree.find_all(exp.Column)}
    if not grouped.relation.complete:
        run.dynamic("the keys of a pivot, over a schema that is not known", node)

    keys = [each for each in grouped.relation.names if each.lower() not in named]
    return Grouped(
        grouped.relation, columns_of(run, keys, node), grouped.pivot, grouped.pivot_values
    )


def call_groups(run: Run, held: SnowGroups, name: str, call: Invocation) -> Value:
    """df.group_by("a").agg(…), .count(), .sum("b")"""
    if name == "agg":
        return aggregate_all(run, held, call.arguments, call.node)

    if name == "pivot":
        return pivot_groups(run, held, call)

    if name == "function":
        called = argument_at(call.arguments)
        return GroupFunction(held, str(called))

    if name in SHORTCUTS and held.grouped.pivot is not None:
        items = [pair_column(run, each, name, call.node) for each in without_lists(call.arguments)]
        return aggregate_all(run, held, list(items), call.node)

    handler = GROUPED.get(GROUP_NAMES.get(name, name))
    if handler is None:
        relation = report_untraced(run, held.grouped.relation, f"GroupedData.{name}", call.node)
        return SnowFrame(relation)

    return wrap(handler(run, held.grouped, call))


SHORTCUTS = frozenset(("sum", "avg", "mean", "min", "max", "median"))
GROUP_NAMES = {"apply_in_pandas": "applyInPandas"}


class GroupFunction:
    """df.group_by("a").function("listagg")      waits for its columns"""

    __slots__ = ("groups", "name")

    def __init__(self, groups: SnowGroups, name: str) -> None:
        """Keep the groups and the name of the function that is about to be called."""
        self.groups = groups
        self.name = name


def call_group_function(run: Run, held: GroupFunction, call: Invocation) -> Value:
    """df.group_by("a").function("sum")("b")"""
    made = function(run, held.name, call.with_arguments(call.arguments, {}))
    return aggregate_all(run, held.groups, [made], call.node)
