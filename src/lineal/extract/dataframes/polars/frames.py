"""Methods of Polars frames: one function and one row each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import DISTINCT_ON, FILTERS, SORTS
from lineal.algebra.frame import Slot
from lineal.algebra.relation import compare, distinct
from lineal.extract.dataframes.pandas.trees import leaf
from lineal.extract.dataframes.polars.expressions import (
    expand,
    expand_selector,
    expr_of,
    exprs_of,
    named_exprs,
)
from lineal.extract.dataframes.polars.groups import group_by, window_groups
from lineal.extract.dataframes.polars.joins import join, join_asof, join_where
from lineal.extract.dataframes.polars.methods import METHODS, equalities
from lineal.extract.dataframes.polars.projection import (
    Projection,
    drop_columns,
    narrow_frame,
    select,
    with_attributes,
    with_columns,
)
from lineal.extract.dataframes.polars.reshape import pivot, transpose, unnest, unpivot
from lineal.extract.dataframes.polars.values import Expr, PolarsFrame, SchemaNames, Selector
from lineal.extract.dataframes.untraced import collected_values, method_name, report_untraced
from lineal.extract.pyspark.columns.trees import bound_column
from lineal.extract.pyspark.dispatch import invoke, relation_in
from lineal.extract.pyspark.frame_libraries import TRACED
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.changes import doubt_name
from lineal.extract.pyspark.frames.changes import rename as rename_relation
from lineal.extract.pyspark.frames.project import lineage_of
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.relation import fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Function, Unknown, Value, note_of, trees_of
from lineal.model.sequences import all_are
from lineal.model.way import Clause, Confidence

FrameMethod = Callable[[Run, PolarsFrame, Invocation], Value]


def select_(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.select("a", total=pl.col("b").sum())"""
    return select(run, frame, named_exprs(run, call), call.node)


def with_columns_(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.with_columns(pl.col("a") * 2, total=pl.col("b") + 1)"""
    return with_columns(run, frame, named_exprs(run, call), call.node)


def filter_(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.filter(pl.col("a") > 1, status="paid")"""
    tests = [*exprs_of(run, call.arguments, call.node), *equalities(run, call.keywords, call.node)]
    trees = expanded_trees(run, frame, tests, call.node)
    return narrow_frame(run, frame, FILTERS, trees, Clause.WHERE)


def sort(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.sort("a", pl.col("b"), descending=True), df.top_k(3, by="a")"""
    keys = exprs_of(
        run,
        [each for each in (*call.arguments, call.keywords.get("by")) if not is_count(each)],
        call.node,
    )
    trees = expanded_trees(run, frame, keys, call.node)
    sorted_frame = narrow_frame(run, frame, SORTS, trees, Clause.ORDER_BY)
    return replace(sorted_frame, order=order_of(run, frame, trees, call.node))


def order_of(
    run: Run, frame: PolarsFrame, trees: Iterable[exp.Expr], node: ast.AST
) -> tuple[exp.Column, ...]:
    """Return the columns that rows are sorted by, as trees that keep what they mean now."""
    scope = FrameScope(frame.relation, run.evaluation(), Clause.ORDER_BY)
    slots = [Slot(each.name or "key", "", lineage_of(each, scope)) for each in trees]
    return tuple(leaf(run, slot, node) for slot in slots)


def expanded_trees(run: Run, frame: PolarsFrame, exprs: Iterable[Expr], node: ast.AST) -> list[Any]:
    """Return the expressions of columns, with a selector as the columns that it takes."""
    return [item.tree for each in exprs for item in expand(run, frame, each, node)]


def is_count(held: Value) -> bool:
    """top_k(3, by="a")      Tell whether an argument is a number."""
    return isinstance(held, int)


def same_frame(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.head(5), lf.collect(), df.lazy()      the same columns, and no column decides the rows"""
    return frame.derive(frame.relation.derive())


def drop(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.drop("a", "b"), df.drop(cs.starts_with("x_"))"""
    names: list[str] = []
    for key in exprs_of(run, [*call.arguments, call.keywords.get("columns")], call.node):
        items = expand(run, frame, key, call.node)
        if any(item.star is not None or item.tree.__class__ is exp.Placeholder for item in items):
            attributes = list(map(doubt_name, frame.relation.attributes))
            frame = frame.derive(frame.relation.derive(attributes))

        names += [item.name for item in items if item.star is None]

    return drop_columns(frame, names)


def rename(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.rename({"a": "b"}), df.rename(str.lower), df.rename(lambda name: name.strip())"""
    mapping = call.argument(0, "mapping")
    relation = frame.relation
    if isinstance(mapping, dict):
        return frame.derive(rename_relation(run, relation, list(mapping.items()), call.node))

    if relation.complete:
        pairs = [
            (name, invoke(run, mapping, call.with_arguments([name], {}))) for name in relation.names
        ]
        return PolarsFrame(rename_relation(run, relation, pairs, call.node))

    run.dynamic(note_of("the names of columns", mapping), call.node, Confidence.LOW)
    return PolarsFrame(relation.derive(list(map(doubt_name, relation.attributes))))


def for_each(name: str) -> FrameMethod:
    """Return a method of a frame that is one of each of its columns: df.fill_null(0), df.sum()"""

    def method(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
        """Apply the expression method to every column of the frame."""
        held = expand_selector(run, Selector(lambda name, kind: True), call.node)
        made = METHODS[name](run, held, call)
        if name in FILLS:
            return with_columns(run, frame, [made], call.node)

        return select(run, frame, [made], call.node)

    return method


FILLS = frozenset(("fill_null", "fill_nan", "interpolate"))


def cast(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.cast({"a": pl.Int64}), df.cast(pl.String)"""
    types = call.argument(0, "dtypes")
    pairs = (
        types
        if isinstance(types, dict)
        else {expand_selector(run, Selector(take_every_column), call.node): types}
    )
    exprs = [
        METHODS["cast"](run, expr_of(run, each, call.node), call.with_arguments([kind], {}))
        for each, kind in pairs.items()
    ]
    return with_columns(run, frame, exprs, call.node)


def take_every_column(name: str, kind: str) -> bool:
    """Take every column."""
    return True


def unique(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.unique(), df.unique(subset=["a", "b"], keep="first")"""
    subset = call.argument(0, "subset")
    if subset is None:
        return frame.derive(frame.relation.derive(None, distinct(frame.relation.frame).rows))

    keys = exprs_of(run, [subset], call.node)
    trees = expanded_trees(run, frame, keys, call.node)
    return narrow_frame(run, frame, DISTINCT_ON, trees, Clause.DISTINCT_ON)


def drop_nulls(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.drop_nulls(), df.drop_nulls("a")"""
    subset = call.argument(0, "subset")
    if subset is None:
        rows = dict(frame.relation.rows)
        compare(frame.relation.frame.slots, FILTERS, rows)
        return frame.derive(frame.relation.derive(None, rows))

    keys = exprs_of(run, [subset], call.node)
    trees = expanded_trees(run, frame, keys, call.node)
    return narrow_frame(run, frame, FILTERS, trees, Clause.WHERE)


def explode(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.explode("tags")      tags ← tags, and tags decides how many rows there are"""
    given = exprs_of(run, [*call.arguments, call.keywords.get("columns")], call.node)
    projection = Projection(run, frame)
    exprs = [METHODS["explode"](run, each, call.with_arguments([], {})) for each in given]
    made = projection.columns(exprs, call.node)
    return projection.finish(with_attributes(frame.relation, made))


def with_row_index(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.with_row_index("n")      the number of a row has no source"""
    name = call.argument(0, "name", "index")
    if not isinstance(name, str):
        run.dynamic(note_of("a column", name), call.node)
        return frame

    number = fresh(Slot(name, name.lower(), {}))
    rest = [each for each in with_attributes(frame.relation, [number]) if each.id != number.id]
    return frame.derive(frame.relation.derive([number, *rest]))


def pipe(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.pipe(clean, 2)      clean(df, 2)"""
    return invoke(
        run,
        argument_at(call.arguments),
        call.with_arguments([frame, *call.arguments[1:]]),
    )


def map_batches(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """lf.map_batches(clean)      clean(df)"""
    function = call.argument(0, "function")
    found = (
        invoke(run, function, call.with_arguments([frame], {}))
        if isinstance(function, Function)
        else None
    )
    if isinstance(found, PolarsFrame):
        return found

    return report_opaque(run, frame, call)


def report_opaque(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """Report a method that is not followed: any column may come out."""
    return PolarsFrame(
        report_untraced(run, frame.relation, f"DataFrame.{method_name(call.node)}", call.node)
    )


def values(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.rows(), df.to_dicts(), df.item()      values that only the data knows"""
    return collected_values(frame.relation, call.node)


def show_frame(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.glimpse(), lf.explain()"""
    return None


def get_column(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.get_column("a"), df.to_series()"""
    name = call.argument(0, "name")
    return item_of_frame(run, frame, name if name is not None else 0, call.node)


def item_of_frame(run: Run, frame: PolarsFrame, key: Value, node: ast.AST) -> Value:
    """df["a"], df[["a", "b"]], df[:5], df["a", "b"]"""
    relation = frame.relation
    if isinstance(key, str):
        tree = bound_column(run, relation, key, node)
        return Expr(tree, root=str(key))

    if isinstance(key, int) and relation.complete and 0 <= key < len(relation.attributes):
        return item_of_frame(run, frame, relation.attributes[key].slot.name, node)

    if isinstance(key, (list, tuple)) and all_are(key, (str, Expr)):
        return select(run, frame, exprs_of(run, key, node), node)

    if isinstance(key, tuple) and len(key) == 2:
        return item_of_frame(run, frame, key[1], node)

    if isinstance(key, (slice, int)):
        return frame.derive(relation.derive())

    return Unknown("…", "an item that only a run knows")


def columns(run: Run, frame: PolarsFrame, name: str, node: ast.AST) -> Value:
    """df.columns"""
    if frame.relation.complete:
        return list(frame.relation.names)

    label = "columns"
    return Unknown(label, "the schema is not known", Confidence.LOW, inputs=(frame.relation,))


def schema(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """lf.collect_schema()"""
    return SchemaNames(frame.relation)


def partition_by(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.partition_by("a")      frames with the rows of one a each"""
    keys = exprs_of(run, [*call.arguments, call.keywords.get("by")], call.node)
    trees = expanded_trees(run, frame, keys, call.node)
    part = narrow_frame(run, frame, FILTERS, trees, Clause.WHERE)
    if call.keywords.get("as_dict"):
        return {Unknown("key", "only the data knows"): part}

    return [part]


def hstack(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.hstack([series, …]), df.hstack(other)"""
    given = call.argument(0, "columns")
    other = relation_in(given)
    if other is not None:
        made = with_attributes(frame.relation, other.attributes)
        return frame.derive(frame.relation.derive(made, None, None, (other,)))

    return with_columns(run, frame, exprs_of(run, [given], call.node), call.node)


def insert_column(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.insert_column(0, pl.Series("a", …))      changes the frame itself"""
    held = call.argument(1, "column")
    found = with_columns(run, frame, exprs_of(run, [held], call.node), call.node).relation
    place = call.argument(0, "index")
    if isinstance(place, int) and found.complete:
        *others, new = found.attributes
        others.insert(place, new)
        found = found.derive(others)

    frame.relation = found
    return frame


def replace_column(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.replace_column(0, pl.Series("a", …))      the column at this place is gone"""
    place = call.argument(0, "index")
    names = frame.relation.names
    if isinstance(place, int) and frame.relation.complete and place < len(names):
        frame.relation = drop_columns(frame, [names[place]]).relation
    else:
        run.dynamic("a column by its place", call.node, Confidence.LOW)
        frame.relation = frame.relation.derive(list(map(doubt_name, frame.relation.attributes)))

    return insert_column(run, frame, call)


def horizontal(name: str) -> FrameMethod:
    """Return a method that computes one value of each row: df.sum_horizontal()"""

    def method(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
        """df.sum_horizontal()"""
        if not frame.relation.complete:
            return report_opaque(run, frame, call)

        names = frame.relation.names
        trees = [bound_column(run, frame.relation, each, call.node) for each in names]
        return Expr(exp.Anonymous(this=name, expressions=trees), root=name)

    return method


def update(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.update(other, on="id")      the values of other, where it has them"""
    other = relation_in(call.argument(0, "other"))
    if other is None or not other.complete or not frame.relation.complete:
        return report_opaque(run, frame, call)

    keys = {name: call.keywords[name] for name in UPDATE_KEYS if name in call.keywords}
    given = {"how": "left", **keys, "suffix": UPDATED, "coalesce": True}
    joined = join(run, frame, call.with_arguments([call.argument(0, "other")], given))
    names = [name for name in frame.relation.names if f"{name}{UPDATED}" in joined.relation.by_key]
    values = [coalesce_of(run, f"{name}{UPDATED}", name, call.node) for name in names]
    made = with_columns(run, joined, values, call.node)
    return select(run, made, exprs_of(run, frame.relation.names, call.node), call.node)


UPDATED = "__updated"
UPDATE_KEYS = ("on", "left_on", "right_on", "how")


def coalesce_of(run: Run, first: str, second: str, node: ast.AST) -> Expr:
    """Return a column with the value of another one, where that has any."""
    trees = trees_of(exprs_of(run, [first, second], node))
    tree = exp.Coalesce(this=trees[0], expressions=trees[1:])
    return Expr(tree, name=second, root=second)


def to_pandas(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.to_pandas()"""
    library = TRACED.get("pandas")
    if library is None or library.open_frame is None:
        return Unknown("to_pandas()", "pandas is not traced", inputs=(frame.relation,))

    return library.open_frame(run, frame.relation)


def describe(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.describe()      statistic, and each column aggregated"""
    every = expand_selector(run, Selector(take_every_column), call.node)
    made = METHODS["mean"](run, every, call.with_arguments([], {}))
    label = Expr(exp.Null(), name="statistic", root="statistic")
    return select(run, frame, [label, made], call.node)


FRAME_METHODS: dict[str, FrameMethod] = {
    **dict.fromkeys(("select", "select_seq"), select_),
    **dict.fromkeys(("with_columns", "with_columns_seq"), with_columns_),
    **dict.fromkeys(("filter", "remove"), filter_),
    **dict.fromkeys(("sort", "top_k", "bottom_k"), sort),
    **dict.fromkeys(
        ("head", "tail", "limit", "slice", "sample", "collect", "lazy", "clone", "cache", "rechunk",
         "set_sorted", "reverse", "gather_every", "shrink_to_fit", "clear", "first", "last",
         "inspect", "remote", "collect_async", "gather"),
        same_frame,
    ),
    "drop": drop,
    "rename": rename,
    **{name: for_each(name) for name in
       ("fill_null", "fill_nan", "sum", "mean", "min", "max", "median", "std", "var", "count",
        "null_count", "product", "quantile", "n_unique")},
    "cast": cast,
    "unique": unique,
    **dict.fromkeys(("drop_nulls", "drop_nans"), drop_nulls),
    "explode": explode,
    **dict.fromkeys(("with_row_index", "with_row_count"), with_row_index),
    "pipe": pipe,
    "map_batches": map_batches,
    **dict.fromkeys(("group_by", "groupby"), group_by),
    **dict.fromkeys(("group_by_dynamic", "rolling"), window_groups),
    "join": join,
    "join_asof": join_asof,
    "join_where": join_where,
    **dict.fromkeys(("unpivot", "melt"), unpivot),
    "pivot": pivot,
    "transpose": transpose,
    "unnest": unnest,
    **dict.fromkeys(("get_column", "to_series", "drop_in_place"), get_column),
    **dict.fromkeys(("collect_schema",), schema),
    "partition_by": partition_by,
    "hstack": hstack,
    "insert_column": insert_column,
    "replace_column": replace_column,
    "update": update,
    **{name: horizontal(name) for name in
       ("sum_horizontal", "mean_horizontal", "max_horizontal", "min_horizontal",
        "is_duplicated", "is_unique", "hash_rows")},
    "to_pandas": to_pandas,
    "describe": describe,
    **dict.fromkeys(("map_rows", "to_dummies", "unstack", "upsample", "corr", "fold"), report_opaque),
    **dict.fromkeys(
        ("rows", "row", "to_dicts", "to_dict", "item", "iter_rows", "iter_columns", "get_columns",
         "to_numpy", "to_arrow", "is_empty", "equals", "estimated_size", "n_chunks",
         "rows_by_key", "iter_slices", "to_struct", "to_torch", "serialize"),
        values,
    ),
    **dict.fromkeys(("glimpse", "explain", "show_graph", "show", "profile"), show_frame),
}  # fmt: skip

FRAME_PARTS: dict[str, Callable[[Run, PolarsFrame, str, Any], Value]] = {
    "columns": columns,
    "schema": lambda run, frame, name, node: SchemaNames(frame.relation),
}
"""The attributes of a frame that are not methods."""


def call_frame(run: Run, held: PolarsFrame, name: str, call: Invocation) -> Value:
    """df.select("a")"""
    handler = FRAME_METHODS.get(name)
    if handler is not None:
        return handler(run, held, call)

    return report_opaque(run, held, call)
