"""Functions of pandas and numpy: pd.read_csv, pd.merge, pd.to_datetime, np.where, np.log."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.files import READERS, new_frame, new_series, workbook
from lineal.extract.dataframes.pandas.groups import Grouper
from lineal.extract.dataframes.pandas.joins import concat, merge, merge_asof
from lineal.extract.dataframes.pandas.reshape import crosstab, get_dummies, melt, pivot, pivot_table
from lineal.extract.dataframes.pandas.selection import change_every
from lineal.extract.dataframes.pandas.series import SERIES
from lineal.extract.dataframes.pandas.trees import (
    AGGREGATES,
    OTHER_AGGREGATES,
    aggregate,
    case,
    operand,
    transforming_call,
)
from lineal.extract.dataframes.pandas.values import (
    DataFrame,
    Row,
    Series,
    Table,
    combine_series,
    main_of,
)
from lineal.extract.pyspark.dispatch import relation_in
from lineal.extract.pyspark.invocation import Arguments, Invocation
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.libraries import call_unknown
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Unknown, Value, trees_of
from lineal.model.edge import Doubt
from lineal.model.sequences import any_is, first_or_none, instances
from lineal.model.way import Confidence

LibraryFunction = Callable[[Call], Value]
NOT_HERE = Doubt(Confidence.MEDIUM, False, "a function of a library that is not read")


def on_first(method: Callable[[Call, Table], Value]) -> LibraryFunction:
    """Return a function that is a method of its first argument: pd.merge(a, b, on="id")."""

    def call_method(call: Call) -> Value:
        """pd.melt(df, id_vars=["id"])"""
        names = ("left", "data", "frame", "df")
        given = dict(call.keywords)
        held = first_or_none(call.arguments)
        for name in names:
            if held is None and name in given:
                held = given.pop(name)

        if not isinstance(held, DataFrame):
            call.dynamic("a frame", held)
            return DataFrame(call.unknown())

        made = method(Call(call.run, call.arguments[1:], given, call.node), held.table)
        return DataFrame(made) if isinstance(made, Table) else made

    return call_method


def series_in(call: Call) -> list[Series]:
    """Return the series among the arguments of a call, those in lists included."""
    found: list[Series] = []
    for each in (*call.arguments, *call.keywords.values()):
        items = items_of(each) if isinstance(each, (list, tuple)) else [each]
        found += instances(items or (), Series)

    return found


def transforming_function(name: str) -> LibraryFunction:
    """Return a function that transforms the series it is given: pd.to_datetime(s), np.log(s)."""

    def apply(call: Call) -> Value:
        """pd.to_datetime(df["day"], errors="coerce")"""
        several = series_in(call)
        if not several:
            return whole_frame(call, name)

        first = main_of(*several)
        trees = [call.fit_series(each, first.table.relation.rows) for each in several]
        made = combine_series(first, list(several), transforming_call(name, *trees))
        made.name = first.name
        return made

    return apply


def whole_frame(call: Call, name: str) -> Value:
    """pd.to_datetime(df[["year", "month", "day"]]), np.log(df)"""
    held = call.get(0, "arg")
    if not isinstance(held, DataFrame):
        return Unknown(f"{name}()", "computed")

    if name != "to_datetime":
        return DataFrame(change_every(call, held.table, lambda tree: transforming_call(name, tree)))

    leaves = call.leaves(held.relation.attributes)
    return Series(transforming_call(name, *leaves), None, held.table)


def where(call: Call) -> Value:
    """np.where(df["a"] > 1, df["b"], 0)      the condition decides, the others are the value"""
    if len(call.arguments) < 3:
        return Unknown("where()", "positions that only the data knows")

    test, yes, no = call.arguments[:3]
    several = instances((test, yes, no), Series)
    if not several:
        return Unknown("where()", "computed")

    first = main_of(*several)
    rows = first.table.relation.rows
    trees = [call.fit_series(each, rows) if isinstance(each, Series) else operand(each)
             for each in (test, yes, no)]  # fmt: skip
    made = combine_series(
        first, [test, yes, no], exp.If(this=trees[0], true=trees[1], false=trees[2])
    )
    made.name = None
    return made


def select(call: Call) -> Value:
    """np.select([a > 1, a > 0], ["many", "some"], default="none")"""
    tests = items_of(call.get(0, "condlist")) or []
    values = items_of(call.get(1, "choicelist")) or []
    default = call.get(2, "default")
    several = instances((*tests, *values, default), Series)
    if not several:
        return Unknown("select()", "computed")

    tree = case(list(map(operand, tests)), list(map(operand, values)), operand(default))
    made = combine_series(main_of(*several), list(several), tree)
    made.name = None
    return made


def reducing_function(name: str) -> LibraryFunction:
    """Return a function that aggregates a series: np.mean(df["x"])."""

    def apply(call: Call) -> Value:
        """np.mean(df["x"])"""
        several = series_in(call)
        if not several:
            return Unknown(f"{name}()", "computed")

        if several[0].watch is not None:
            return transforming_function(name)(call)

        return several[0].with_tree(aggregate(name, several[0].tree), is_scalar=True)

    return apply


def value_counts(call: Call) -> Value:
    """pd.value_counts(df["x"])"""
    held = call.get(0, "values")
    if isinstance(held, Series):
        return SERIES["value_counts"](Call(call.run, [], call.keywords, call.node), held)

    return Unknown("value_counts()", "computed")


def grouper(call: Call) -> Value:
    """pd.Grouper(key="day", freq="M")"""
    return Grouper(call.get(0, "key"))


def named_aggregate(call: Call) -> Value:
    """pd.NamedAgg(column="x", aggfunc="sum")"""
    return call.get(0, "column"), call.get(1, "aggfunc")


def generate_values(call: Call) -> Value:
    """pd.date_range("2024-01-01", periods=10), np.zeros(5)      values without a source"""
    several = series_in(call)
    if several:
        return transforming_function("range")(call)

    return Series(call.tree(None), None, Table(Relation([], {})))


def index_of(call: Call) -> Value:
    """pd.MultiIndex.from_tuples([…]), pd.Index([…])"""
    return call.get(0, "data", call.get(0, "tuples"))


def index_product(call: Call) -> Value:
    """pd.MultiIndex.from_product([["a", "b"], ["sum"]])"""
    levels = list(map(items_of, items_of(call.get(0, "iterables")) or []))
    if None in levels:
        return Unknown("from_product()", "levels that only a run knows")

    found: list[tuple[Value, ...]] = [()]
    for level in levels:
        found = [(*before, each) for before in found for each in level or ()]

    return found


PANDAS: dict[str, LibraryFunction] = {
    **READERS,
    "DataFrame": new_frame,
    "Series": new_series,
    "concat": concat,
    "merge": on_first(merge),
    "merge_asof": on_first(merge_asof),
    "merge_ordered": on_first(merge),
    "melt": on_first(melt),
    "pivot_table": on_first(pivot_table),
    "pivot": on_first(pivot),
    "get_dummies": get_dummies,
    "crosstab": crosstab,
    **dict.fromkeys(("ExcelWriter", "ExcelFile"), workbook),
    **dict.fromkeys(
        ("date_range", "bdate_range", "period_range", "timedelta_range", "interval_range"),
        generate_values,
    ),
    "Grouper": grouper,
    "value_counts": value_counts,
    "NamedAgg": named_aggregate,
    "Index": index_of,
    "MultiIndex.from_tuples": index_of,
    "MultiIndex.from_product": index_product,
    "DataFrame.from_dict": new_frame,
    "DataFrame.from_records": new_frame,
    "json_normalize": new_frame,
    **{name: transforming_function(name) for name in (
        "to_datetime", "to_numeric", "to_timedelta", "cut", "qcut", "isna", "isnull", "notna",
        "notnull", "Categorical", "factorize", "Timestamp", "unique", "DatetimeIndex", "array",
    )},
}  # fmt: skip
"""Functions of pandas."""

NUMPY: dict[str, LibraryFunction] = {
    "where": where,
    "select": select,
    **{name: reducing_function(name) for name in (*AGGREGATES, *OTHER_AGGREGATES)},
}
"""Functions of numpy that do more than transform each of their arguments."""


FILLED_LATER = frozenset(
    """zeros ones empty full zeros_like ones_like empty_like full_like""".split()  # noqa: SIM905
)
"""Functions of numpy that make an array of one value: what the program puts in is what it holds."""


def call_pandas(run: Run, name: str, given: Invocation) -> Value:
    """Call a function of pandas; one that is not traced is reported where it is given a frame."""
    call = Call(run, given.arguments, given.keywords, given.node)
    function = PANDAS.get(name.removeprefix("pandas.").removeprefix("io.sql."))
    if function is not None:
        return function(call)

    frames = [
        each
        for each in (*given.arguments, *given.keywords.values())
        if relation_in(each) is not None
    ]
    if frames or "read_" in name:
        call.report_unsupported(name)
        inputs = list(map(relation_in, frames))
        return DataFrame(call.unknown(*(Table(each) for each in inputs if each is not None)))

    return call_unknown(run, name, given)


def call_numpy(run: Run, name: str, given: Invocation) -> Value:
    """Call a function of numpy over series."""
    call = Call(run, given.arguments, given.keywords, given.node)
    last = name.rpartition(".")[2]
    if last in FILLED_LATER:
        return Series(call.tree(None), None, Table(Relation([], {})))

    has_values = series_in(call) or any_is(given.arguments, DataFrame)
    if not has_values:
        return call_unknown(run, name, given)

    return NUMPY.get(last, transforming_function(last))(call)


def result_of_unknown(run: Run, name: str, given: Invocation) -> Value:
    """Return what a function that is not here makes of series: of each of them, less certain."""
    call = Call(run, given.arguments, given.keywords, given.node)
    several = series_in(call)
    if not several:
        return Unknown(
            f"{name}()", f"what {name}() gives is not known", inputs=inputs_of(given.arguments)
        )

    first = main_of(*several)
    made = combine_series(
        first, list(several), transforming_call(name.rpartition(".")[2], *trees_of(several))
    )
    if first.watch is None or not run.elements:
        made.doubt = made.doubt or NOT_HERE

    return made


def inputs_of(arguments: Arguments) -> tuple[Relation, ...]:
    """Return the relations of the frames and rows among some values."""
    frames = [each.table.relation for each in arguments if isinstance(each, (Row, DataFrame))]
    return tuple(frames)
