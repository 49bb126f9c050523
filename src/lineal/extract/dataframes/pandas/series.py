"""Methods of a series, of its accessors .str, .dt and .cat, and operators over series."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import DISTINCT_ON
from lineal.algebra.frame import PatternColumns, Slot, Star, star_slot
from lineal.extract.dataframes.pandas.calls import CHANGED, Call, is_name, name_of
from lineal.extract.dataframes.pandas.columns import coalesce, rename_column, reset_index
from lineal.extract.dataframes.pandas.elements import apply_to_element
from lineal.extract.dataframes.pandas.groups import (
    CUMULATIVE,
    RANKED,
    SHIFTED,
    Grouper,
    count_values,
    keys_of,
    order_of,
    rolling_keys,
    window_tree,
)
from lineal.extract.dataframes.pandas.joins import frame_of_series
from lineal.extract.dataframes.pandas.lookups import found_value, key_test, look_up, look_up_pairs
from lineal.extract.dataframes.pandas.reshape import unstack as unstack_table
from lineal.extract.dataframes.pandas.rows import exploded_rows
from lineal.extract.dataframes.pandas.selection import (
    change_together,
    narrow_rows,
    part_of_series,
    sort_rows,
)
from lineal.extract.dataframes.pandas.trees import (
    AGGREGATES,
    BINARY_TREES,
    OTHER_AGGREGATES,
    aggregate,
    case,
    is_aggregate,
    operand,
    transforming_call,
)
from lineal.extract.dataframes.pandas.values import (
    Accessor,
    DataFrame,
    Groups,
    Rolling,
    Row,
    Series,
    Table,
    Watch,
    combine_series,
    main_of,
)
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_text, items_of
from lineal.extract.pyspark.relation import fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Method, Unknown, Value
from lineal.model.edge import Dataset
from lineal.model.sequences import all_are, any_is, instances
from lineal.model.way import Clause

SeriesMethod = Callable[[Call, Series], Value]


# -- operators -------------------------------------------------------------------------------------


def combine(run: Run, op: type, left: Value, right: Value, node: ast.AST) -> Value:
    """Carry out an operator of which one side is a series or a frame.

    df["a"] + df["b"], df["a"] > 1, ~df["flag"], df[["a", "b"]] * 2
    """
    call = Call(run, [], {}, node)
    if isinstance(left, DataFrame) or isinstance(right, DataFrame):
        return combine_frames(call, op, left, right)

    if right is None and op in UNARY:
        assert isinstance(left, Series)
        return left.with_tree(UNARY[op](this=left.tree))

    if isinstance(left, Row) or isinstance(right, Row):
        return Unknown("…", "computed of a whole row", inputs=relations(left, right))

    for held in (left, right):
        if isinstance(held, Unknown) and held.inputs:
            call.dynamic("a value", held)

    return binary(call, BINARY_TREES.get(op, exp.Add), left, right)


UNARY: dict[type, Any] = {
    ast.Not: exp.Not, ast.Invert: exp.Not, ast.USub: exp.Neg, ast.UAdd: exp.Paren
}  # fmt: skip


def relations(*held: Value) -> tuple[Any, ...]:
    """Return the relations of rows among some values."""
    return tuple(each.table.relation for each in held if isinstance(each, (Row, Series)))


def binary(call: Call, kind: Any, left: Value, right: Value) -> Series:
    """Return an operator over a series and another value."""
    first = main_of(left, right)
    rows = first.table.relation.rows
    trees = [
        call.fit_series(each, rows) if isinstance(each, Series) else operand(each)
        for each in (left, right)
    ]
    tree = kind(this=trees[0], expression=trees[1])
    return combine_series(first, [left, right], tree)


def combine_frames(call: Call, op: type, left: Value, right: Value) -> Value:
    """df * 2, df[["a", "b"]] - df[["c", "d"]]      column by column"""
    held = left if isinstance(left, DataFrame) else right
    other = right if held is left else left
    kind = BINARY_TREES.get(op, exp.Add)
    return DataFrame(change_together(
        call, held.table, [other],
        lambda tree, beside: kind(this=tree, expression=beside), CHANGED,
    ))  # fmt: skip


# -- methods ---------------------------------------------------------------------------------------


def same_series(call: Call, held: Series) -> Value:
    """s.values, s.head()"""
    return held


def copy(call: Call, held: Series) -> Value:
    """s.copy()      a change of the copy leaves the series as it is"""
    return held.with_tree(held.tree)


def arithmetic(kind: Any) -> SeriesMethod:
    """Return a method that is an operator: s.add(other), s.gt(1)."""

    def apply(call: Call, held: Series) -> Value:
        """s.add(other, fill_value=0)"""
        filled = call.keywords.get("fill_value")
        left, right = (with_default(each, filled) for each in (held, call.get(0, "other")))
        return binary(call, kind, left, right)

    return apply


def with_default(held: Value, filled: Value) -> Value:
    """s.add(other, fill_value=0)      Return a series, with a value for the missing ones."""
    if filled is None or not isinstance(held, Series):
        return held

    return held.with_tree(coalesce(held.tree, operand(filled)))


def transforming_method(name: str) -> SeriesMethod:
    """Return a method that transforms each value, and what it is given: s.round(2), s.clip(lo, hi)."""

    def apply(call: Call, held: Series) -> Value:
        """s.round(2)"""
        given = instances((*call.arguments, *call.keywords.values()), Series)  # fmt: skip
        return combine_series(
            held, [held, *given], transforming_call(name, held.tree, *map(operand, given))
        )

    return apply


def as_type(call: Call, held: Series) -> Value:
    """s.astype("int64")"""
    return held.with_tree(transforming_call("astype", held.tree))


def fill_missing(call: Call, held: Series) -> Value:
    """s.fillna(0), s.fillna(other)      the value, and whether it is missing"""
    other = call.get(0, "value", call.get(-1, "other"))
    if other is None:
        return held.with_tree(coalesce(held.tree, transforming_call("fillna", held.tree)))

    rows = held.table.relation.rows
    tree = call.fit_series(other, rows) if isinstance(other, Series) else operand(other)
    return combine_series(held, [held, other], coalesce(held.tree, tree))


def fill_from_rows(call: Call, held: Series) -> Value:
    """s.ffill()      the value before, where one is missing"""
    order = order_of(call, held.table)
    return held.with_tree(window_tree("ffill", held.tree, (), order))


def where(call: Call, held: Series) -> Value:
    """s.where(condition, other)      the value where the condition holds, else another one"""
    test, other = call.get(0, "cond"), call.get(1, "other")
    tree = case([operand(test)], [held.tree], operand(other))
    return combine_series(held, [held, test, other], tree)


def mask(call: Call, held: Series) -> Value:
    """s.mask(condition, other)      another value where the condition holds"""
    test, other = call.get(0, "cond"), call.get(1, "other")
    tree = case([operand(test)], [operand(other)], held.tree)
    return combine_series(held, [held, test, other], tree)


def case_when(call: Call, held: Series) -> Value:
    """s.case_when([(s > 1, 0), (other == "a", other)])      the value of the first test that holds"""
    pairs = items_of(call.get(0, "caselist")) or []
    tests, values = [], []
    for each in pairs:
        pair = items_of(each)
        if pair is None or len(pair) != 2:
            call.dynamic("a condition", each)
            continue

        tests.append(pair[0])
        values.append(pair[1])

    tree = case([*map(operand, tests)], [*map(operand, values)], held.tree)
    return combine_series(held, [held, *tests, *values], tree).with_tree(tree, name=held.name)


def map_values(call: Call, held: Series) -> Value:
    """s.map({"a": 1}), s.map(f), s.map(names.set_index("id")["name"])"""
    return apply_values(call, held, call.get(0, "arg", call.get(-1, "func")))


def apply_(call: Call, held: Series) -> Value:
    """s.apply(f)"""
    return apply_values(call, held, call.get(0, "func"))


def apply_values(call: Call, held: Series, function: Value) -> Value:
    """Return each value as a function, a dict or another series makes it."""
    if isinstance(function, Series):
        return look_up(call, held, function)

    if isinstance(function, dict) and any_is(function, Series):
        return look_up_pairs(call, held, function)

    if isinstance(function, str) and is_aggregate(function):
        return reducing_method(function)(call, held)

    more = call.keywords.get("args", ())
    return apply_to_element(call, held, function, *(more if isinstance(more, tuple) else ()))


def replace_values(call: Call, held: Series) -> Value:
    """s.replace({"a": "b"}), s.replace(names.set_index("id")["name"].to_dict())"""
    other = call.get(0, "to_replace")
    if not isinstance(other, Series):
        return transforming_method("replace")(call, held)

    tree = case([key_test(call, held, other)], [found_value(call, held, other)], held.tree)
    return combine_series(held, [held, other], tree).with_tree(tree, name=held.name)


def is_in(call: Call, held: Series) -> Value:
    """s.isin(["a", "b"]), s.isin(other["id"])"""
    other = call.get(0, "values")
    tree = operand(other)
    if isinstance(other, Series):
        tree = call.fit_series(
            other.with_tree(other.tree, is_scalar=True), held.table.relation.rows
        )

    return combine_series(held, [held, other], transforming_call("isin", held.tree, tree))


def window_method(name: str) -> SeriesMethod:
    """Return a method that computes a value of other rows: s.cumsum(), s.shift(1), s.rank()."""

    def apply(call: Call, held: Series) -> Value:
        """s.shift(1)"""
        order = order_of(call, held.table)
        return held.with_tree(window_tree(name, held.tree, (), order))

    return apply


def reducing_method(name: str) -> SeriesMethod:
    """Return a method that gives one value of the whole series: s.sum(), s.nunique()."""

    def apply(call: Call, held: Series) -> Value:
        """s.sum(), s.corr(other)"""
        others = instances((*call.arguments, *call.keywords.values()), Series)
        trees = [call.fit_series(each, held.table.relation.rows) for each in others]
        made = combine_series(held, [held, *others], aggregate(name, held.tree, *trees))
        return made.with_tree(made.tree, name=held.name, is_scalar=True)

    return apply


def agg(call: Call, held: Series) -> Value:
    """s.agg("sum"), s.agg(["min", "max"])"""
    how = call.get(0, "func")
    if isinstance(how, str):
        return reducing_method(how)(call, held)

    if isinstance(how, (list, tuple)) and all_are(how, str):
        evaluation = call.evaluation()
        made = [
            call.make(each, aggregate(each, held.tree), held.table.relation, evaluation)
            for each in how
        ]
        return Row(held.table.with_relation(call.derive(held.table, made, evaluation)), Watch())

    return held.with_tree(aggregate("aggregate", held.tree), is_scalar=True)


def rolling(call: Call, held: Series) -> Value:
    """s.rolling(7), s.expanding(), s.ewm(span=3)"""
    return Rolling(held, rolling_keys(call, held.table))


def groupby(call: Call, held: Series) -> Value:
    """s.groupby(df["k"]), s.groupby(level=0)"""
    table = frame_of_series(call, held)
    keys = keys_of(call, Table(table.relation, held.table.index), call.get(0, "by"))
    if keys is None:
        return Unknown("groupby()", "its keys are only known when it runs")

    return Groups(table, keys, True, (table.relation.names[0],), True)


def resample(call: Call, held: Series) -> Value:
    """s.resample("M")      groups by a period of the index"""
    table = frame_of_series(call, held)
    keys = Grouper(call.keywords.get("on")).keys(call, Table(table.relation, held.table.index))
    return Groups(table, tuple(keys), True, (table.relation.names[0],), True)


def sort_values(call: Call, held: Series) -> Value:
    """s.sort_values()"""
    table = sort_rows(call, held.table, [held.tree])
    made = fresh(Slot(held.name or "0", held.name or "0",
                      call.lineage(held.tree, table.relation, call.evaluation())))  # fmt: skip
    return held.with_tree(held.tree, table=Table(table.relation, table.index, (made,)))


def largest(call: Call, held: Series) -> Value:
    """s.nlargest(3)      as sort_values and head"""
    return held.with_tree(held.tree, table=sort_rows(call, held.table, [held.tree]))


def drop_missing(call: Call, held: Series) -> Value:
    """s.dropna()"""
    return held.with_tree(held.tree, table=narrow_rows(call, held.table, [held.tree]))


def drop_duplicates(call: Call, held: Series) -> Value:
    """s.drop_duplicates(), s.unique()      each value once"""
    table = narrow_rows(call, held.table, [held.tree], DISTINCT_ON, Clause.DISTINCT_ON)
    return held.with_tree(held.tree, table=table)


def value_counts(call: Call, held: Series) -> Value:
    """s.value_counts()      how often each value is there; the values are the index"""
    name = "proportion" if call.flag("normalize") else "count"
    title = held.name or "index"
    table = count_values(call, held.table, {title: held.tree}, name)
    return Series(call.leaf(table.relation.attributes[0]), name, table, parents=held.parents)


def to_frame(call: Call, held: Series) -> Value:
    """s.to_frame("total")"""
    name = call.get(0, "name")
    return DataFrame(frame_of_series(call, held, name_of(name) if is_name(name) else None))


def reset(call: Call, held: Series) -> Value:
    """s.reset_index(name="total"), s.reset_index(drop=True)"""
    if call.flag("drop"):
        return held.with_tree(held.tree, table=Table(held.table.relation, (), held.table.order))

    name = call.get(-1, "name")
    table = frame_of_series(call, held, name_of(name) if is_name(name) else None)
    return DataFrame(reset_index(Call(call.run, [], {}, call.node), table))


def rename(call: Call, held: Series) -> Value:
    """s.rename("total")"""
    name = call.get(0, "index")
    return held.with_tree(held.tree, name=name_of(name)) if is_name(name) else held


def rename_axis(call: Call, held: Series) -> Value:
    """s.rename_axis("day")"""
    name = call.get(0, "mapper")
    if not is_name(name) or len(held.table.index) != 1:
        return held

    index = (rename_column(held.table.index[0], name_of(name)),)
    return held.with_tree(held.tree, table=Table(held.table.relation, index, held.table.order))


def explode(call: Call, held: Series) -> Value:
    """s.explode()"""
    evaluation = call.evaluation()
    rows = exploded_rows(call, held.table, [held.tree], evaluation)
    table = held.table.with_relation(call.derive(held.table, None, evaluation, rows))
    return held.with_tree(transforming_call("explode", held.tree), table=table)


def unstack(call: Call, held: Series) -> Value:
    """groupby(["a", "b"])["x"].sum().unstack()"""
    return unstack_table(call, frame_of_series(call, held))


def between(call: Call, held: Series) -> Value:
    """s.between(lo, hi)"""
    low, high = call.get(0, "left"), call.get(1, "right")
    return combine_series(
        held,
        [held, low, high],
        transforming_call("between", held.tree, operand(low), operand(high)),
    )


def combine_first(call: Call, held: Series) -> Value:
    """s.combine_first(other)"""
    other = call.get(0, "other")
    return combine_series(held, [held, other], coalesce(held.tree, operand(other)))


def update(call: Call, held: Series) -> Value:
    """s.update(other)      the values of the other series, where it has any"""
    other = call.get(0, "other")
    return combine_series(held, [held, other], coalesce(operand(other), held.tree)).with_tree(
        coalesce(operand(other), held.tree), name=held.name
    )


def take_item(call: Call, held: Series) -> Value:
    """s.get("total"), s.item(), s.xs("a")"""
    return part_of_series(call, held, call.get(0, "key"))


def pipe(call: Call, held: Series) -> Value:
    """s.pipe(f)"""
    function, *rest = call.arguments or [None]
    return invoke(call.run, function, Invocation([held, *rest], call.keywords, call.node))


def transform(call: Call, held: Series) -> Value:
    """s.transform(f), s.transform("cumsum")"""
    how = call.get(0, "func")
    if isinstance(how, str) and how in SERIES:
        return SERIES[how](Call(call.run, [], {}, call.node), held)

    return apply_values(call, held, how)


ARITHMETIC = {
    "add": exp.Add, "radd": exp.Add, "sub": exp.Sub, "subtract": exp.Sub, "rsub": exp.Sub,
    "mul": exp.Mul, "multiply": exp.Mul, "rmul": exp.Mul, "div": exp.Div, "divide": exp.Div,
    "truediv": exp.Div, "rdiv": exp.Div, "rtruediv": exp.Div, "rfloordiv": exp.IntDiv,
    "rmod": exp.Mod, "rpow": exp.Pow, "floordiv": exp.IntDiv, "mod": exp.Mod, "pow": exp.Pow,
    "eq": exp.EQ, "ne": exp.NEQ, "lt": exp.LT, "le": exp.LTE, "gt": exp.GT, "ge": exp.GTE,
}  # fmt: skip

SERIES: dict[str, SeriesMethod] = {
    **{name: arithmetic(kind) for name, kind in ARITHMETIC.items()},
    **dict.fromkeys(
        ("head", "tail", "to_numpy", "tolist", "to_list", "squeeze", "infer_objects",
         "convert_dtypes", "sample", "items", "tz_localize_rows", "sort_index", "ravel", "flatten",
         "reindex", "set_axis", "to_dict", "truncate", "droplevel",
         "drop", "filter", "take", "add_prefix", "add_suffix", "swaplevel", "reorder_levels",
         "set_flags", "between_time", "at_time", "transpose", "reindex_like"),
        same_series,
    ),
    **{name: transforming_method(name) for name in (
        "round", "clip", "abs", "isna", "isnull", "notna", "notnull", "duplicated",
        "to_timestamp", "to_period", "tz_localize", "tz_convert", "repeat", "searchsorted",
        "factorize", "view", "asfreq", "argsort", "dt", "combine",
    )},
    "replace": replace_values,
    **{name: window_method(name) for name in (*CUMULATIVE, *SHIFTED, *RANKED)},
    **{name: reducing_method(name) for name in (*AGGREGATES, *OTHER_AGGREGATES)},
    "copy": copy,
    "astype": as_type,
    "fillna": fill_missing,
    **dict.fromkeys(("ffill", "bfill", "pad", "backfill", "interpolate"), fill_from_rows),
    **dict.fromkeys(("get", "item", "xs", "asof"), take_item),
    "update": update,
    "where": where,
    "mask": mask,
    "case_when": case_when,
    "map": map_values,
    "apply": apply_,
    "transform": transform,
    "isin": is_in,
    "between": between,
    "agg": agg,
    "aggregate": agg,
    **dict.fromkeys(("rolling", "expanding", "ewm"), rolling),
    "groupby": groupby,
    "resample": resample,
    "sort_values": sort_values,
    **dict.fromkeys(("nlargest", "nsmallest"), largest),
    "dropna": drop_missing,
    "drop_duplicates": drop_duplicates,
    "unique": drop_duplicates,
    "value_counts": value_counts,
    "to_frame": to_frame,
    "reset_index": reset,
    "rename": rename,
    "rename_axis": rename_axis,
    "explode": explode,
    "unstack": unstack,
    "combine_first": combine_first,
    "pipe": pipe,
}  # fmt: skip
"""Methods of a series."""


# -- accessors -------------------------------------------------------------------------------------

EXPANDING = frozenset(("split", "rsplit", "extract", "partition", "extractall", "get_dummies"))
"""Methods of .str that may make several columns of one."""

GROUP_NAME = re.compile(r"\(\?P<(\w+)>")


def on_accessor(run: Run, held: Accessor, name: str, given: Invocation) -> Value:
    """df["x"].str.lower(), df["day"].dt.strftime("%Y")"""
    call = Call(run, given.arguments, given.keywords, given.node)
    series = held.series
    others = instances((*given.arguments, *given.keywords.values()), Series)
    if name == "cat" and given.arguments and isinstance(given.arguments[0], list):
        others += instances(given.arguments[0], Series)

    tree = transforming_call(name, series.tree, *map(operand, others))
    made = combine_series(series, [series, *others], tree)
    made.name = series.name
    if name in EXPANDING and expands(call, name):
        return several_columns(call, made, groups_of(call) if name == "extract" else ())

    return made


def groups_of(call: Call) -> tuple[str, ...]:
    r"""s.str.extract(r"(?P<area>\d+)-(?P<number>\d+)")      Return its names, if each group has one."""
    pattern = call.get(0, "pat")
    if not is_text(pattern):
        return ()

    names = GROUP_NAME.findall(pattern)
    return tuple(names) if len(names) == count_groups(pattern) else ()


def count_groups(pattern: str) -> int:
    """Return how many groups a regular expression has."""
    return pattern.count("(") - pattern.count("(?:")


def expands(call: Call, name: str) -> bool:
    """Tell whether a method of .str makes a frame."""
    if name in ("partition", "rpartition", "extractall", "get_dummies"):
        return True

    if name == "extract":
        pattern = call.get(0, "pat")
        groups = count_groups(str(pattern)) if pattern else 2
        return call.flag("expand", groups > 1)

    return call.flag("expand")


def several_columns(call: Call, made: Series, names: tuple[str, ...] = ()) -> DataFrame:
    """s.str.split(",", expand=True)      columns 0, 1, …, all made alike"""
    evaluation = call.evaluation()
    lineage = call.lineage(made.tree, made.table.relation, evaluation)
    star = Star(
        Dataset("", f"<pivot:{made.name or 'values'}>"), made=PatternColumns(lineage, "", "")
    )
    columns = [fresh(Slot(name, name, lineage)) for name in names] or [fresh(star_slot(star))]
    relation = call.derive(made.table, columns, evaluation, None, made.parents)
    return DataFrame(made.table.with_relation(relation))


PARTS = frozenset(
    """year month day hour minute second microsecond date time quarter week weekday dayofweek
    dayofyear day_of_week day_of_year days seconds days_in_month is_month_start is_month_end
    is_quarter_start is_quarter_end is_year_start is_year_end is_leap_year codes categories
    timetz nanosecond daysinmonth freq tz start_time end_time qyear nanoseconds microseconds unit
    components ordered""".split()  # noqa: SIM905
)
"""The attributes of .dt and .cat."""


def attribute_of_accessor(run: Run, held: Accessor, name: str, node: ast.AST) -> Value:
    """df["day"].dt.year"""
    if name in PARTS:
        return held.series.with_tree(transforming_call(name, held.series.tree))

    return Method(held, name)


def item_of_accessor(run: Run, held: Accessor, key: Value, node: ast.AST) -> Value:
    """df["name"].str[:3]"""
    return held.series.with_tree(transforming_call("slice", held.series.tree))
