"""Groups: groupby with agg in every spelling, transform, filter, apply; resample; windows of rows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import GROUPS
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, as_expression
from lineal.algebra.relation import decided_rows, group, narrow
from lineal.extract.dataframes.pandas.calls import (
    CHANGED,
    SUMMED,
    Call,
    doubt_stars,
    is_name,
    mark_stars,
    name_of,
    without_names,
)
from lineal.extract.dataframes.pandas.columns import BY_TYPE, coalesce
from lineal.extract.dataframes.pandas.elements import apply_to_row
from lineal.extract.dataframes.pandas.selection import change_every, narrow_rows, sort_rows
from lineal.extract.dataframes.pandas.trees import (
    aggregate,
    aggregate_call,
    has_aggregate,
    is_aggregate,
    transforming_call,
    window_over,
)
from lineal.extract.dataframes.pandas.values import (
    DataFrame,
    Groups,
    Levels,
    Rolling,
    Row,
    Series,
    Table,
    Watch,
)
from lineal.extract.pyspark.columns.trees import identifier
from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import Attribute, fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Collected,
    ColumnValue,
    Function,
    Library,
    Method,
    Native,
    Partial,
    Unknown,
    Value,
    trees_of,
)
from lineal.model.sequences import any_is, as_list, instances
from lineal.model.way import Clause

Item = tuple[str, str | None, Value]
"""A column that is made: its name, the column that it is made of (None: of the rows), and how."""


# -- groupby ---------------------------------------------------------------------------------------


def groupby(call: Call, table: Table) -> Value:
    """df.groupby(["a", "b"], as_index=False), df.groupby(df["day"].dt.year), df.groupby(level=0)"""
    keys = keys_of(call, table, call.get(0, "by"))
    if keys is None:
        return Unknown(
            "groupby()", "its keys are only known when it runs", inputs=(table.relation,)
        )

    return Groups(table, keys, call.flag("as_index", True))


def keys_of(call: Call, table: Table, given: Value) -> tuple[Attribute, ...] | None:
    """Return the keys of groups; None where only a run knows them."""
    if given is None:
        return level_keys(call, table, call.keywords.get("level"))

    evaluation = call.evaluation()
    found = []
    for position, each in enumerate(as_list(given)):
        if isinstance(each, Series):
            title = each.name or f"key_{position}"
            found.append(call.make(title, each, table.relation, evaluation))
        elif isinstance(each, Grouper):
            found += each.keys(call, table)
        elif is_name(each):
            found.append(call.column(table, name_of(each)))
        else:
            call.dynamic("columns", each)
            return None

    return tuple(found)


def level_keys(call: Call, table: Table, level: Value) -> tuple[Attribute, ...]:
    """df.groupby(level=0), df.groupby(level="day")"""
    several = level if isinstance(level, (list, tuple)) else [level]
    found = [
        each
        for at, each in enumerate(table.index)
        if at in several or each.slot.name in several or level is None
    ]
    return tuple(found)


class Grouper:
    """pd.Grouper(key="day", freq="M")"""

    def __init__(self, key: Value) -> None:
        """Keep the column that `pd.Grouper(key=...)` names."""
        self.key = key

    def keys(self, call: Call, table: Table) -> list[Attribute]:
        """Return the column that it groups by, else the index."""
        columns = [call.column(table, name_of(self.key))] if is_name(self.key) else [*table.index]
        evaluation = call.evaluation()
        return [
            call.make(
                each.slot.name,
                transforming_call("period", call.leaf(each)),
                table.relation,
                evaluation,
            )
            for each in columns
        ]


def resample(call: Call, table: Table) -> Value:
    """df.resample("D", on="day")      groups by a period of the index or of a column"""
    keys = Grouper(call.keywords.get("on")).keys(call, table)
    return Groups(table, tuple(keys))


def resample_groups(call: Call, groups: Groups) -> Value:
    """df.groupby("k")["x"].resample("D")      groups by the keys and by a period"""
    periods = Grouper(call.keywords.get("on")).keys(call, groups.table)
    return replace(groups, keys=(*groups.keys, *periods))


def item_of_groups(run: Run, held: Groups, key: Value, node: ast.AST) -> Value:
    """df.groupby("k")["x"], df.groupby("k")[["x", "y"]]"""
    call = Call(run, [], {}, node)
    names = call.names(key)
    if names is None:
        return Unknown("groups", "columns that only a run knows", inputs=(held.table.relation,))

    return replace(held, selected=tuple(names), is_series=is_name(key))


def attribute_of_groups(run: Run, held: Groups, name: str, node: ast.AST) -> Value:
    """df.groupby("k").x"""
    if name in GROUPED or is_aggregate(name):
        return Method(held, name)

    if may_select(held, name):
        return replace(held, selected=(name,), is_series=True)

    return Method(held, name)


def call_groups(run: Run, held: Groups, given: Invocation) -> Value:
    """df.groupby("k").new_method()      Report a method that is not traced."""
    Call(run, [], {}, given.node).report_unsupported(f"GroupBy.{(held.selected or ('()',))[0]}")
    return Unknown("groups", "a method that is not traced", inputs=(held.table.relation,))


def may_select(held: Groups, name: str) -> bool:
    """Tell whether a name of groups is a column, as far as anybody knows."""
    relation = held.table.relation
    return name in relation.by_key or (bool(relation.stars) and name not in OTHER_NAMES)


OTHER_NAMES = frozenset(
    """boxplot dtype dtypes exclusions grouper groups hist indices keys level ndim nearest ngroups
    is_monotonic_decreasing is_monotonic_increasing plot take asfreq interpolate""".split()  # noqa: SIM905
)
"""The attributes of groups that are not columns, aggregates or methods of GROUPED."""


# -- aggregates ------------------------------------------------------------------------------------


def columns_of(call: Call, groups: Groups) -> list[str]:
    """Return the columns that an aggregate without names concerns: all but the keys."""
    if groups.selected is not None:
        return list(groups.selected)

    keys = {each.slot.name for each in groups.keys}
    return [name for name in groups.table.relation.names if name not in keys]


def unknown_aggregates(groups: Groups, mark: str = SUMMED) -> list[Attribute]:
    """Return the aggregates of columns that are not known; those of other types are left out."""
    names = [each.slot.name for each in groups.keys]
    stars = without_names(groups.table.relation.stars, names)
    return doubt_stars(mark_stars(stars, mark), BY_TYPE)


def aggregate_groups(
    call: Call, groups: Groups, items: Iterable[Item], every: bool = False
) -> Table:
    """Return a row for each group: the keys as its index or as columns, then the aggregates."""
    table = groups.table
    evaluation = call.evaluation()
    keys = call.leaves(groups.keys)
    expressions = call.expressions(table.relation, evaluation, keys, Clause.GROUP_BY)
    rows = dict(group(decided_rows(table.relation.rows), expressions, ()).rows)
    titles = [call.make(each.slot.name, tree, table.relation, evaluation)
              for each, tree in zip(groups.keys, keys, strict=True)]  # fmt: skip
    made = [
        call.make(name, aggregate_tree(call, groups, source, how), table.relation, evaluation)
        for name, source, how in items
    ]
    if every and groups.selected is None:
        made += unknown_aggregates(groups)

    if groups.as_index:
        return Table(call.derive(table, made, evaluation, rows), tuple(titles))

    return Table(call.derive(table, [*titles, *made], evaluation, rows))


def aggregate_tree(call: Call, groups: Groups, source: str | None, how: Value) -> Any:
    """Return one aggregate of a group.

    "sum", np.mean, lambda s: s.max() - s.min()
    """
    if source is None:
        return exp.Count(this=exp.Star())

    column = call.series(groups.table, source)
    if isinstance(how, (Function, Partial, Native)):
        return followed_aggregate(call, column, how)

    if isinstance(how, Library):
        return aggregate(how.name.rpartition(".")[2], column.tree)

    if isinstance(how, str):
        return aggregate(how, column.tree)

    call.dynamic("an aggregate", how)
    return aggregate_call("aggregate", column.tree)


def followed_aggregate(call: Call, column: Series, function: Value) -> Any:
    """agg(lambda s: s.max() - s.min())"""
    made = invoke(call.run, function, Invocation([column], {}, call.node))
    if isinstance(made, Series) and has_aggregate(made.tree):
        return made.tree

    return aggregate_call("aggregate", column.tree)


def result(groups: Groups, table: Table, call: Call) -> Value:
    """Return the aggregates of groups: a series where one column was selected by its name."""
    if not groups.is_series or not groups.as_index or len(table.relation.attributes) != 1:
        return DataFrame(table)

    held = table.relation.attributes[0]
    return Series(call.leaf(held), held.slot.name, table)


def simple_aggregate(name: str) -> Callable[[Call, Groups], Value]:
    """Return a method that applies one aggregate: groupby("k").sum(), groupby("k")["x"].mean()."""

    def apply(call: Call, groups: Groups) -> Value:
        """groupby("k")["x"].sum()"""
        items: list[Item] = [(each, each, name) for each in columns_of(call, groups)]
        table = aggregate_groups(call, groups, items, every=True)
        if name == "quantile" and isinstance(call.get(0, "q"), (list, tuple)):
            level = fresh(Slot("quantile", "quantile", {}))
            table = replace(table, index=(*table.index, level))

        return result(groups, table, call)

    return apply


def size(call: Call, groups: Groups) -> Value:
    """groupby("k").size()      how many rows each group has"""
    table = aggregate_groups(call, groups, [("size", None, "size")])
    if not groups.as_index:
        return DataFrame(table)

    held = table.relation.attributes[0]
    return Series(call.leaf(held), None, table)


def agg(call: Call, groups: Groups) -> Value:
    """groupby("k").agg({"x": "sum"}), .agg(total=("x", "sum")), .agg(["min", "max"]), .agg("sum")"""
    given = call.get(0, "func")
    if given is None:
        items = named_items(call, groups)
        return DataFrame(aggregate_groups(call, groups, items))

    if isinstance(given, dict):
        return DataFrame(aggregate_groups(call, groups, dict_items(call, given)))

    if isinstance(given, (list, tuple)):
        return DataFrame(aggregate_groups(call, groups, list_items(call, groups, given)))

    if isinstance(given, Unknown):
        call.dynamic("aggregates", given)

    several: list[Item] = [(each, each, given) for each in columns_of(call, groups)]
    return result(groups, aggregate_groups(call, groups, several, every=True), call)


def named_items(call: Call, groups: Groups) -> list[Item]:
    """agg(total=("x", "sum"), n=pd.NamedAgg("x", "count")), of one column agg(total="sum")"""
    found: list[Item] = []
    for name, held in call.keywords.items():
        pair = items_of(held) if isinstance(held, (tuple, list)) else None
        if pair is not None and len(pair) == 2 and is_name(pair[0]):
            found.append((name, name_of(pair[0]), pair[1]))
        elif groups.is_series and groups.selected is not None:
            found.append((name, groups.selected[0], held))
        elif name not in ("engine", "engine_kwargs"):
            call.dynamic("an aggregate", held)

    return found


def dict_items(call: Call, given: dict[Value, Value]) -> list[Item]:
    """agg({"x": "sum", "y": ["min", "max"]})      lists make two levels of names for all"""
    has_lists = any_is(given.values(), (list, tuple))
    found: list[Item] = []
    for name, held in given.items():
        if not is_name(name):
            call.dynamic("a column", name)
            continue

        source = name_of(name)
        for how in held if isinstance(held, (list, tuple)) else [held]:
            title = Levels((source, label_of(how))) if has_lists else source
            found.append((title, source, how))

    return found


def list_items(call: Call, groups: Groups, given: Sequence[Value]) -> list[Item]:
    """groupby("k")["x"].agg(["min", "max"]): min, max; of a frame ("x", "min"), ("x", "max")"""
    found: list[Item] = []
    for source in columns_of(call, groups):
        for how in given:
            title, function = label_of(how), how
            if isinstance(how, tuple) and len(how) == 2:
                title, function = str(how[0]), how[1]

            found.append((title if groups.is_series else Levels((source, title)), source, function))

    return found


def label_of(how: Value) -> str:
    """Return the name that pandas gives to an aggregate."""
    if isinstance(how, str):
        return how

    if isinstance(how, Library):
        last = how.name.rpartition(".")[2]
        return {"amin": "min", "amax": "max"}.get(last, last)

    if isinstance(how, Function) and how.name and how.name != "<lambda>":
        return how.name

    return "<lambda>"


# -- windows over groups ---------------------------------------------------------------------------

CUMULATIVE = {"cumsum": "sum", "cumprod": "prod", "cummax": "max", "cummin": "min"}
FILLING = frozenset(("ffill", "bfill", "fillna", "pad", "backfill", "interpolate"))
"""Methods that take the value of another row where one is missing."""

SHIFTED = frozenset(("shift", "diff", "pct_change", "ffill", "bfill", "fillna"))
RANKED = frozenset(("rank", "cumcount", "ngroup"))
WINDOWED = SHIFTED | RANKED | CUMULATIVE.keys()


def window_tree(name: str, tree: Any, keys: Sequence[Any], order: Sequence[Any]) -> Any:
    """Return a value that is computed of other rows of the group.

    cumsum and rolling sums aggregate, shift and diff take values of other rows, rank only orders
    """
    if name in RANKED:
        own = [tree] if name == "rank" else []
        return window_over(exp.RowNumber(), keys, [*own, *(order if name != "rank" else ())])

    if name in FILLING:
        return coalesce(tree, window_over(exp.Lag(this=transforming_call(name, tree)), keys, order))

    if name in SHIFTED:
        return window_over(exp.Lag(this=transforming_call(name, tree)), keys, order)

    return window_over(aggregate(CUMULATIVE.get(name, name), tree), keys, order)


def transform(call: Call, groups: Groups) -> Value:
    """groupby("k")["x"].transform("sum")      the aggregate of the group, in every row of it"""
    how = call.get(0, "func")
    keys = call.leaves(groups.keys)
    order = order_of(call, groups.table)

    def tree_of(name: str) -> Any:
        """Return a column of the result: a window over the keys of the groups."""
        column = call.series(groups.table, name)
        if isinstance(how, str) and how in WINDOWED:
            return window_tree(how, column.tree, keys, order)

        if isinstance(how, (str, Library)):
            return window_over(aggregate(label_of(how), column.tree), keys)

        return followed_transform(call, column, how, keys)

    return rows_of_groups(call, groups, tree_of)


def followed_transform(call: Call, column: Series, function: Value, keys: Sequence[Any]) -> Any:
    """transform(lambda s: s / s.sum())      the keys decide which rows are summed"""
    made = invoke(call.run, function, Invocation([column], {}, call.node))
    tree = made.tree if isinstance(made, Series) else transforming_call("transform", column.tree)
    return transforming_call("transform", tree, window_over(exp.RowNumber(), keys))


def rows_of_groups(
    call: Call, groups: Groups, tree_of: Callable[[str], Any], mark: str = SUMMED
) -> Value:
    """Return a column for each that is selected, in the rows of the frame."""
    names = columns_of(call, groups)
    if groups.is_series:
        return Series(tree_of(names[0]), names[0], groups.table)

    evaluation = call.evaluation()
    made = [call.make(name, tree_of(name), groups.table.relation, evaluation) for name in names]
    if groups.selected is None and groups.table.relation.stars:
        call.dynamic("a value of each group, of columns that are not known")
        made += unknown_aggregates(groups, mark)

    return DataFrame(groups.table.with_relation(call.derive(groups.table, made, evaluation)))


def order_of(call: Call, table: Table) -> list[Any]:
    """Return the columns that a frame is sorted by, as expressions."""
    return call.leaves(table.order)


def window_method(name: str) -> Callable[[Call, Groups], Value]:
    """Return a method of groups that gives a value for each row: cumsum, shift, rank."""

    def apply(call: Call, groups: Groups) -> Value:
        """groupby("k")["x"].shift(1)"""
        keys = call.leaves(groups.keys)
        order = order_of(call, groups.table)
        if name in ("cumcount", "ngroup"):
            return Series(window_tree(name, None, keys, order), None, groups.table)

        return rows_of_groups(
            call,
            groups,
            lambda each: window_tree(name, call.series(groups.table, each).tree, keys, order),
            CHANGED if name in SHIFTED else SUMMED,
        )

    return apply


def windowed_frame(name: str) -> Callable[[Call, Table], Value]:
    """Return a method of a frame that computes values of other rows: df.shift(1), df.cumsum()."""
    mark = SUMMED if name in CUMULATIVE else CHANGED

    def apply(call: Call, table: Table) -> Value:
        """df.cumsum()"""
        order = order_of(call, table)
        return change_every(call, table, lambda tree: window_tree(name, tree, (), order), mark)

    return apply


def get_group(call: Call, groups: Groups) -> Value:
    """groupby("k").get_group("x")      the rows of one group"""
    table = groups.table
    if groups.selected is not None:
        table = call.select(table, groups.selected)

    return DataFrame(narrow_rows(call, table, call.leaves(groups.keys)))


def pipe_groups(call: Call, groups: Groups) -> Value:
    """groupby("k").pipe(f)"""
    function, *rest = call.arguments or [None]
    given = Invocation([groups, *rest], call.keywords, call.node)
    return invoke(call.run, function, given)


def open_high_low_close(call: Call, groups: Groups) -> Value:
    """df["price"].resample("D").ohlc()"""
    parts = (("open", "first"), ("high", "max"), ("low", "min"), ("close", "last"))
    items: list[Item] = []
    for each in columns_of(call, groups):
        items += [
            (part if groups.is_series else Levels((each, part)), each, how) for part, how in parts
        ]

    return DataFrame(aggregate_groups(call, groups, items, every=True))


def head(call: Call, groups: Groups) -> Value:
    """groupby("k").head(1)      the first rows of each group, in the order of the frame"""
    keys = call.leaves(groups.keys)
    table = groups.table
    if groups.selected is not None:
        table = call.select(table, groups.selected)

    return DataFrame(narrow_rows(call, table, keys, GROUPS, Clause.GROUP_BY))


def largest(call: Call, groups: Groups) -> Value:
    """groupby("k")["x"].nlargest(2)      the largest rows of each group; the keys join the index"""
    column = call.series(groups.table, columns_of(call, groups)[0])
    sorted_ = sort_rows(call, groups.table, [column.tree])
    found = narrow_rows(call, sorted_, call.leaves(groups.keys), GROUPS, Clause.GROUP_BY)
    return with_group_index(groups, column.with_tree(column.tree, table=found))


def count_group_values(call: Call, groups: Groups) -> Value:
    """groupby("k")["x"].value_counts()      how often each value is there in each group"""
    names = columns_of(call, groups)
    trees = {each.slot.name: call.leaf(each) for each in groups.keys}
    trees.update((name, call.series(groups.table, name).tree) for name in names)
    title = "proportion" if call.flag("normalize") else "count"
    found = count_values(call, groups.table, trees, title)
    held = found.relation.attributes[0]
    if groups.as_index:
        return Series(call.leaf(held), title, found)

    return DataFrame(Table(call.derive(found, [*found.index, held], call.evaluation())))


STATISTICS = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")
"""The columns that describe() makes of a column of numbers."""

TEXT_STATISTICS = ("unique", "top", "freq", "first", "last")
"""The columns that describe() makes of texts only: hidden until the program names them."""


def describe_groups(call: Call, groups: Groups) -> Value:
    """groupby("k")["x"].describe()      a column for each statistic"""
    if not groups.is_series:
        return simple_aggregate("describe")(call, groups)

    name = columns_of(call, groups)[0]
    items: list[Item] = [(each, name, each) for each in STATISTICS]
    found = aggregate_groups(call, groups, items)
    others = aggregate_groups(call, groups, [(each, name, each) for each in TEXT_STATISTICS])
    found.relation.hidden = tuple(others.relation.attributes)
    return DataFrame(found)


def filter_groups(call: Call, groups: Groups) -> Value:
    """groupby("k").filter(lambda g: g["x"].sum() > 10)"""
    keys = call.leaves(groups.keys)
    made = invoke(
        call.run, call.get(0, "func"), Invocation([DataFrame(groups.table)], {}, call.node)
    )
    tests = [made.tree] if isinstance(made, Series) else []
    if not tests:
        call.dynamic("a condition of groups")

    return DataFrame(narrow_rows(call, groups.table, [*tests, *keys]))


def apply_to_groups(call: Call, groups: Groups) -> Value:
    """groupby("k").apply(f)      f is given the rows of a group"""
    function = call.get(0, "func")
    table = groups.table
    if isinstance(function, Library):
        return size(call, groups) if function.name == "builtins.len" else agg(call, groups)

    held: Value = DataFrame(table)
    if groups.selected is not None and groups.is_series:
        held = call.series(table, groups.selected[0])
    elif groups.selected is not None:
        held = DataFrame(call.select(table, groups.selected))

    more = {key: each for key, each in call.keywords.items() if key != "include_groups"}
    made = invoke(call.run, function, Invocation([held, *call.arguments[1:]], more, call.node))
    if isinstance(made, Series) and made.is_scalar:
        return group_values(call, groups, {"0": made.tree})

    if isinstance(made, Row):
        trees = {each.slot.name: call.leaf(each) for each in made.table.relation.attributes}
        return group_values(call, groups, trees, as_frame=True)

    if isinstance(made, DataFrame):
        return DataFrame(narrow_rows(
            call, made.table, call.leaves(groups.keys), GROUPS, Clause.GROUP_BY
        ))  # fmt: skip

    if isinstance(made, Series):
        return made

    call.dynamic("what a function makes of groups")
    return DataFrame(call.unknown(table))


def group_values(
    call: Call, groups: Groups, trees: dict[str, Any], as_frame: bool = False
) -> Value:
    """Return values that a function has computed of each group."""
    table = aggregate_groups(call, groups, [])
    evaluation = call.evaluation()
    source = groups.table.relation
    made = [call.make(name, tree, source, evaluation) for name, tree in trees.items()]
    found = Table(call.derive(table, [*table.relation.attributes, *made], evaluation), table.index)
    if as_frame or not groups.as_index:
        return DataFrame(found)

    return Series(call.leaf(made[0]), None, found)


def each_group(held: Groups) -> list[Value] | None:
    """for key, part in df.groupby("k"): …      one round, for any of the groups"""
    table = held.table
    keys = [as_expression(each.slot.lineage, None) for each in held.keys]
    rows = narrow(decided_rows(table.relation.rows), GROUPS, keys).rows
    part = table.with_relation(table.relation.derive(None, rows))
    values = [key_value(each, part) for each in held.keys]
    return [(values[0] if len(values) == 1 else tuple(values), DataFrame(part))]


def key_value(key: Attribute, table: Table) -> Unknown:
    """Return the value that the rows of a group have in a key."""
    tree = exp.Column(this=identifier(key.slot.name))
    tree._meta = {"slot": key.slot, "table": table}
    reason = "a key of groups, which only the data knows"
    return Unknown("key", reason, collected=Collected(ColumnValue(tree)))


GROUPED: dict[str, Callable[[Call, Groups], Value]] = {
    "agg": agg,
    "aggregate": agg,
    "size": size,
    "transform": transform,
    "filter": filter_groups,
    "apply": apply_to_groups,
    "head": head,
    "tail": head,
    "sample": head,
    "nth": head,
    **dict.fromkeys(("nlargest", "nsmallest"), largest),
    "value_counts": count_group_values,
    "describe": describe_groups,
    "get_group": get_group,
    "pipe": pipe_groups,
    "ohlc": open_high_low_close,
    **{name: window_method(name) for name in (*CUMULATIVE, *SHIFTED, *RANKED)},
}


def group_method(name: str) -> Callable[[Call, Groups], Value] | None:
    """Return what carries out a method of groups."""
    if name in GROUPED:
        return GROUPED[name]

    if is_aggregate(name):
        return simple_aggregate(name)

    return None


# -- rolling, expanding, ewm -----------------------------------------------------------------------


def rolling_of_frame(call: Call, table: Table) -> Value:
    """df.rolling(7), df.rolling("7D", on="day")"""
    return Rolling(DataFrame(table), rolling_keys(call, table))


def rolling_of_groups(call: Call, groups: Groups) -> Value:
    """df.groupby("k")["x"].rolling(7)"""
    keys = call.leaves(groups.keys)
    return Rolling(groups, (*keys, *rolling_keys(call, groups.table)))


def rolling_keys(call: Call, table: Table) -> tuple[Any, ...]:
    """Return what orders the rows of a window: a column that is named, the index of a window of time,
    else what the rows are sorted by.
    """
    named = call.keywords.get("on")
    if is_name(named):
        return (call.leaf(call.column(table, name_of(named))),)

    if isinstance(call.get(0, "window"), str) and table.index:
        return tuple(call.leaves(table.index))

    return tuple(order_of(call, table))


def on_rolling(call: Call, held: Rolling, name: str) -> Value:
    """df["x"].rolling(7).mean()"""
    source = held.held
    if isinstance(source, Groups):
        found = rows_of_groups(
            call,
            source,
            lambda each: rolling_value(call, call.series(source.table, each).tree, held, name),
        )
        return with_group_index(source, found)

    if isinstance(source, Series):
        return source.with_tree(rolling_value(call, source.tree, held, name))

    table = source.table
    return DataFrame(
        change_every(call, table, lambda tree: rolling_value(call, tree, held, name), SUMMED)
    )


def with_group_index(groups: Groups, found: Value) -> Value:
    """Return the result of a window over groups, whose index has the keys."""
    if isinstance(found, Series):
        index = (*groups.keys, *groups.table.index)
        return found.with_tree(found.tree, table=Table(found.table.relation, index))

    return found


def rolling_value(call: Call, tree: Any, held: Rolling, name: str) -> Any:
    """Return a value that is computed of the rows around."""
    if name in ("apply", "agg", "aggregate"):
        given = call.get(0, "func")
        name = given if isinstance(given, str) else "aggregate"

    others = trees_of(instances(call.arguments, Series))
    return window_over(aggregate(name, tree, *others), (), held.keys)


def item_of_rolling(run: Run, held: Rolling, key: Value, node: ast.AST) -> Value:
    """df.rolling(7)["x"]"""
    call = Call(run, [], {}, node)
    if isinstance(held.held, Groups):
        return Rolling(item_of_groups(run, held.held, key, node), held.keys)

    if isinstance(held.held, DataFrame) and is_name(key):
        return Rolling(call.series(held.held.table, name_of(key)), held.keys)

    return held


GROUPED.update(
    {
        **dict.fromkeys(("rolling", "expanding", "ewm"), rolling_of_groups),
        "resample": resample_groups,
    }
)

GROUPING = {
    "groupby": groupby,
    "resample": resample,
    **dict.fromkeys(("rolling", "expanding", "ewm"), rolling_of_frame),
    **{name: windowed_frame(name) for name in (
        "shift", "diff", "pct_change", "rank", *CUMULATIVE
    )},
}  # fmt: skip
"""Methods of a frame that make groups or windows."""


# -- aggregates of a whole frame -------------------------------------------------------------------


def reduce_frame(name: str) -> Callable[[Call, Table], Value]:
    """Return a method that aggregates each column: df.sum(); with axis=1 each row."""

    def reduce(call: Call, table: Table) -> Value:
        """df[["a", "b"]].sum(axis=1), df.mean()"""
        if call.get(0, "axis", 0) in (1, "columns"):
            trees = call.leaves(table.relation.attributes)
            return Series(transforming_call(name, *trees), None, table)

        return aggregate_every(call, table, name)

    return reduce


def aggregate_every(call: Call, table: Table, how: Value) -> Row:
    """Return one aggregate of each column, those that are not known included."""
    made = aggregate_frame(call, table, [(each, each, how) for each in table.relation.names])
    if not table.relation.stars:
        return made

    stars = doubt_stars(mark_stars(table.relation.stars, SUMMED), BY_TYPE)
    attributes = [*made.table.relation.attributes, *stars]
    relation = call.derive(made.table, attributes, call.evaluation())
    return Row(made.table.with_relation(relation), made.watch)


def aggregate_frame(call: Call, table: Table, items: Iterable[Item]) -> Row:
    """Return one value for each column."""
    evaluation = call.evaluation()
    groups = Groups(table, ())
    made = [
        call.make(name, aggregate_tree(call, groups, source, how), table.relation, evaluation)
        for name, source, how in items
    ]
    return Row(table.with_relation(call.derive(table, made, evaluation)), Watch())


def agg_frame(call: Call, table: Table) -> Value:
    """df.agg("sum"), df.agg({"x": "sum"}), df.agg(["min", "max"])"""
    given = call.get(0, "func")
    if call.get(1, "axis", 0) in (1, "columns") and not isinstance(given, (list, tuple, dict)):
        return apply_to_row(call, table, given)

    groups = Groups(table, ())
    if isinstance(given, dict):
        return aggregate_frame(call, table, dict_items(call, given))

    if isinstance(given, (list, tuple)):
        first = given[0] if given else "sum"
        return DataFrame(aggregate_every(call, table, first).table)

    if given is None:
        return aggregate_frame(call, table, named_items(call, groups))

    return aggregate_every(call, table, given)


def describe(call: Call, table: Table) -> Value:
    """df.describe()      statistics of each column"""
    return DataFrame(aggregate_every(call, table, "describe").table)


def count_values(call: Call, table: Table, trees: dict[str, Any], name: str) -> Table:
    """Return how often each value is there: df["x"].value_counts(), df.value_counts(["a", "b"])"""
    evaluation = call.evaluation()
    keys = tuple(call.make(each, tree, table.relation, evaluation) for each, tree in trees.items())
    expressions = call.expressions(table.relation, evaluation, trees.values(), Clause.GROUP_BY)
    rows: Lineage = dict(group(decided_rows(table.relation.rows), expressions, ()).rows)
    made = fresh(Slot(name, name, {}))
    return Table(call.derive(table, [made], evaluation, rows), keys)


def value_counts(call: Call, table: Table) -> Value:
    """df.value_counts(["a", "b"])"""
    subset = call.get(0, "subset")
    if subset is None and table.relation.stars:
        call.dynamic("every column, of a schema that is not known")

    names = table.relation.names if subset is None else call.names(subset) or []
    trees = {name: call.leaf(call.column(table, name)) for name in names}
    found = count_values(call, table, trees, "count")
    held = found.relation.attributes[0]
    return Series(call.leaf(held), "count", found)


REDUCING = {
    **{name: reduce_frame(name) for name in (
        "sum", "mean", "median", "min", "max", "std", "var", "prod", "count", "nunique", "any",
        "all", "idxmax", "idxmin", "quantile", "skew", "kurt", "kurtosis", "product", "sem", "mode",
    )},
    "agg": agg_frame,
    "aggregate": agg_frame,
    "describe": describe,
    "value_counts": value_counts,
}  # fmt: skip
"""Methods of a frame that aggregate its columns."""
