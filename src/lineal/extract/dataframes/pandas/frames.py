"""Frames, series, groups and their parts in the interpreter's tables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import add_doubt, unite_lineages
from lineal.extract.dataframes.pandas.calls import Call, is_name, texts_of
from lineal.extract.dataframes.pandas.columns import COLUMNS, pipe, rename_column, set_names
from lineal.extract.dataframes.pandas.files import WRITERS
from lineal.extract.dataframes.pandas.groups import (
    GROUPING,
    REDUCING,
    group_method,
    on_rolling,
)
from lineal.extract.dataframes.pandas.joins import JOINS, frame_of_series
from lineal.extract.dataframes.pandas.names import names_of
from lineal.extract.dataframes.pandas.on_spark import METHODS_ON_SPARK
from lineal.extract.dataframes.pandas.reshape import RESHAPING, transpose
from lineal.extract.dataframes.pandas.rows import ROWS
from lineal.extract.dataframes.pandas.selection import (
    change_origin,
    item_of_row,
    set_columns,
    taken_from,
)
from lineal.extract.dataframes.pandas.series import ARITHMETIC, SERIES, combine_frames
from lineal.extract.dataframes.pandas.series import PARTS as DATE_PARTS
from lineal.extract.dataframes.pandas.trees import transforming_call
from lineal.extract.dataframes.pandas.values import (
    Accessor,
    DataFrame,
    Groups,
    Indexer,
    Names,
    Rolling,
    Row,
    Series,
    Table,
    Watch,
)
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.relation import fresh
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import SCHEMA_UNKNOWN, Method, Unknown, Value, trees_of
from lineal.model.edge import Doubt
from lineal.model.sequences import instances
from lineal.model.way import Confidence

FRAME: Mapping[str, Callable[[Call, Table], Value]] = {
    **ROWS, **COLUMNS, **JOINS, **GROUPING, **RESHAPING, **REDUCING, **WRITERS, **METHODS_ON_SPARK
}  # fmt: skip
"""Every method of a frame that is traced."""

IN_PLACE = frozenset(("insert", "update"))
"""Methods that change a frame without being told to."""


def wrap(held: Value) -> Value:
    """Return a table as a frame of its own."""
    return DataFrame(held) if isinstance(held, Table) else held


# -- frames ----------------------------------------------------------------------------------------


def on_frame(run: Run, held: DataFrame, name: str, given: Invocation) -> Value:
    """Call a method of a frame; with inplace=True it changes the frame."""
    call = Call(run, given.arguments, given.keywords, given.node)
    special = SPECIAL.get(name)
    if special is not None:
        return special(call, held)

    method = FRAME.get(name)
    if method is None:
        return report_untraced(call, held, name)

    made = method(call, held.table)
    if isinstance(made, Table) and (call.flag("inplace") or name in IN_PLACE):
        held.put(run, made)
        return None

    return wrap(made)


def report_untraced(call: Call, held: DataFrame, name: str) -> Value:
    """Report a method that is not traced, and return a frame of unknown columns."""
    call.report_unsupported(f"DataFrame.{name}")
    return DataFrame(call.unknown(held.table))


def pop(call: Call, held: DataFrame) -> Value:
    """df.pop("x")      the column, which the frame has no more"""
    name = call.get(0, "item")
    if not is_name(name):
        return Unknown("pop()", "a column that only a run knows")

    table = held.table
    found = call.series(table, name)
    held.put(call.run, COLUMNS["drop"](Call(call.run, [], {"columns": name}, call.node), table))
    return found


def get_column(call: Call, held: DataFrame) -> Value:
    """df.get("x")"""
    name = call.get(0, "key")
    if not is_name(name):
        return Unknown("get()", "a column that only a run knows")

    return call.series(held.table, name)


def pipe_frame(call: Call, held: DataFrame) -> Value:
    """df.pipe(f)      f is given the frame itself"""
    return pipe(call, held.table)


def rows_of(call: Call, held: DataFrame) -> Value:
    """for i, row in df.iterrows(): …, for row in df.itertuples(): …"""
    row = Row(held.table, Watch())
    name = getattr(getattr(call.node, "func", None), "attr", "")
    if name == "itertuples":
        return [row]

    return [(Unknown("index", "the label of a row"), row)]


def columns_with_names(call: Call, held: DataFrame) -> Value:
    """for name, column in df.items(): …"""
    if not held.relation.complete:
        return Unknown("items()", SCHEMA_UNKNOWN)

    return [(name, call.series(held.table, name)) for name in held.relation.names]


def operator_method(kind: Any) -> Callable[[Call, DataFrame], Value]:
    """Return a method that is an operator: df.sub(other)."""

    def apply(call: Call, held: DataFrame) -> Value:
        """df.sub(df.mean())"""
        return combine_frames(call, kind, held, call.get(0, "other"))

    return apply


def names_of_columns(call: Call, held: DataFrame) -> Value:
    """df.keys()"""
    return names_of_frame(call, held, "columns")


SPECIAL: dict[str, Callable[[Call, DataFrame], Value]] = {
    "pop": pop,
    "get": get_column,
    "keys": names_of_columns,
    "iterrows": rows_of,
    "itertuples": rows_of,
    "items": columns_with_names,
    "iteritems": columns_with_names,
    **{name: operator_method(kind) for name, kind in ARITHMETIC.items()},
}
"""Methods that need the frame itself and not only its table."""


def attribute_of_frame(run: Run, held: DataFrame, name: str, node: ast.AST) -> Value:
    """df.columns, df.loc, df.groupby, df.amount"""
    part = PARTS.get(name)
    if part is not None:
        return part(Call(run, [], {}, node), held, name)

    if name in FRAME or name in SPECIAL or name.startswith("_"):
        return Method(held, name)

    if name in held.relation.by_key or held.relation.stars:
        return taken_from(held, name, Call(run, [], {}, node).series(held.table, name))

    return Method(held, name)


def names_of_frame(call: Call, held: DataFrame, name: str) -> Value:
    """df.columns"""
    if held.relation.complete:
        return names_of(held.relation.names)

    return Names(held)


def indexer(call: Call, held: DataFrame, name: str) -> Value:
    """df.loc, df.iloc, df.at, df.iat"""
    return Indexer(held, name)


def index_of_frame(call: Call, held: DataFrame, name: str) -> Value:
    """df.index      the labels of the rows: the columns of the index, where it has any"""
    index = held.table.index
    origin = (held, None)
    if len(index) == 1:
        return Series(call.leaf(index[0]), index[0].slot.name, held.table, origin=origin)

    if not index:
        return Series(call.tree(None), None, held.table, origin=origin)

    tree = transforming_call("index", *map(call.leaf, index))
    return Series(tree, None, held.table, origin=origin)


def values_of_frame(call: Call, held: DataFrame, name: str) -> Value:
    """df.values, df.shape"""
    return Unknown(name, "only the data knows", inputs=(held.relation,))


def transpose_frame(call: Call, held: DataFrame, name: str) -> Value:
    """df.T"""
    return wrap(transpose(call, held.table))


PARTS: dict[str, Callable[[Call, DataFrame, str], Value]] = {
    "columns": names_of_frame,
    **dict.fromkeys(("loc", "iloc", "at", "iat", "ix"), indexer),
    "index": index_of_frame,
    **dict.fromkeys(
        ("values", "shape", "size", "ndim", "empty", "dtypes", "axes"), values_of_frame
    ),
    "T": transpose_frame,
}
"""The attributes of a frame that are neither methods nor columns."""


def set_attribute(run: Run, owner: DataFrame, name: str, held: Value, node: ast.AST) -> None:
    """df.columns = ["a", "b"], df.amount = 0"""
    call = Call(run, [], {}, node)
    table = owner.table
    if name == "columns":
        owner.put(run, set_names(call, table, held))
    elif name == "index":
        owner.put(run, with_labels(call, table, held))
    elif name in table.relation.by_key or table.relation.stars:
        owner.put(run, set_columns(call, table, [name], held))


def with_labels(call: Call, table: Table, held: Value) -> Table:
    """df.index = pd.to_datetime(df["day"])"""
    if not isinstance(held, Series):
        return Table(table.relation, (), table.order)

    evaluation = call.evaluation()
    made = call.make(held.name or "index", held, table.relation, evaluation)
    return Table(call.derive(table, None, evaluation), (made,), table.order)


def set_series_attribute(run: Run, owner: Series, name: str, held: Value, node: ast.AST) -> None:
    """s.name = "total", df.index.name = "day", df.index.names = ["day", "id"]"""
    names = texts_of(held)
    if name not in ("name", "names") or names is None:
        return

    if owner.origin is not None and owner.origin[1] is None:
        frame = owner.origin[0]
        frame.put(run, with_index_names(Call(run, [], {}, node), frame.table, names))
    elif name == "name":
        owner.name = names[0]


def with_index_names(call: Call, table: Table, names: list[str]) -> Table:
    """df.index.name = "day"      an index without a name may be the first column of the file"""
    index = table.index
    if not index:
        lineage = unite_lineages(
            add_doubt(each.slot.lineage, FIRST_COLUMN) for each in table.relation.stars
        )
        index = (fresh(Slot(names[0], names[0], lineage)),)

    return Table(table.relation, tuple(map(rename_column, index, names)), table.order)


FIRST_COLUMN = Doubt(Confidence.LOW, False, "the index may be the first column of the file")


# -- rows ------------------------------------------------------------------------------------------


def attribute_of_row(run: Run, held: Row, name: str, node: ast.AST) -> Value:
    """row.amount, row.get"""
    is_column = name in held.table.relation.by_key
    if not is_column and (name in SERIES or name in FRAME or name in ROW_NAMES):
        return Method(held, name)

    return item_of_row(run, held, name, node)


ROW_NAMES = frozenset(("get", "to_dict", "values", "index", "name", "Index", "items", "_asdict"))
"""The attributes of a row that are not methods of frames and series."""


def on_row(run: Run, held: Row, name: str, given: Invocation) -> Value:
    """row.get("amount", 0), row.sum()"""
    call = Call(run, given.arguments, given.keywords, given.node)
    if name == "get" and given.arguments:
        return item_of_row(run, held, given.arguments[0], given.node)

    if name in AS_COLUMN:
        return on_series(run, column_of_row(call, held), name, given)

    trees = call.leaves(held.table.relation.attributes)
    return Series(transforming_call(name, *trees), None, held.table, watch=held.watch)


AS_COLUMN = frozenset(
    """to_frame reset_index to_csv to_json to_excel to_sql to_markdown to_clipboard sort_values
    nlargest nsmallest head tail rename rename_axis""".split()  # noqa: SIM905
)
"""Methods for which a row is a series: its labels are the index, its values one column."""


def column_of_row(call: Call, held: Row) -> Series:
    """df.mean(), df.agg({"x": "sum", "y": "max"})      Return a row as a series of its values."""
    lineage = unite_lineages(each.slot.lineage for each in held.table.relation.attributes)
    made = fresh(Slot("0", "0", lineage))
    label = fresh(Slot("index", "index", {}))
    relation = call.derive(held.table, [made], call.evaluation())
    return Series(call.leaf(made), None, Table(relation, (label,)))


# -- series and groups -----------------------------------------------------------------------------


def attribute_of_series(run: Run, held: Series, name: str, node: ast.AST) -> Value:
    """s.str, s.dt, s.values, s.sum"""
    part = SERIES_PARTS.get(name)
    if part is not None:
        return part(Call(run, [], {}, node), held, name)

    return Method(held, name)


SERIES_PARTS: dict[str, Callable[[Call, Series, str], Value]] = {
    **dict.fromkeys(
        ("str", "dt", "cat", "list", "struct"), lambda call, held, name: Accessor(held, name)
    ),
    **dict.fromkeys(("values", "array", "T"), lambda call, held, name: held),
    **dict.fromkeys(("loc", "iloc", "at", "iat"), lambda call, held, name: Indexer(held, name)),
    "name": lambda call, held, name: held.name,
    **dict.fromkeys(
        (
            "size",
            "shape",
            "empty",
            "dtype",
            "dtypes",
            "is_unique",
            "ndim",
            "nbytes",
            "hasnans",
            "is_monotonic_increasing",
            "is_monotonic_decreasing",
            "is_monotonic",
        ),
        lambda call, held, name: Unknown(name, "only the data knows"),
    ),
    "index": lambda call, held, name: index_of_frame(call, DataFrame(held.table), name),
    "axes": lambda call, held, name: [index_of_frame(call, DataFrame(held.table), name)],
    **dict.fromkeys(
        DATE_PARTS, lambda call, held, name: held.with_tree(transforming_call(name, held.tree))
    ),
}
"""The attributes of a series; the index of a frame by dates has parts of dates."""


def on_series(run: Run, held: Series, name: str, given: Invocation) -> Value:
    """Call a method of a series; in a function over elements any method transforms the element."""
    call = Call(run, given.arguments, given.keywords, given.node)
    if held.watch is not None and (name not in SERIES or is_element_method(held, name)):
        others = instances(given.arguments, Series)
        return held.with_tree(transforming_call(name, held.tree, *trees_of(others)))

    method = SERIES.get(name)
    if method is not None:
        made = wrap(method(call, held))
        if isinstance(made, Series) and (call.flag("inplace") or name == "update"):
            held.tree, held.parents = made.tree, made.parents
            change_origin(call, held)
            held.table = made.table if held.origin is None else held.table
            return None

        return made

    writer = WRITERS.get(name)
    if writer is not None:
        return writer(call, frame_of_series(call, held))

    call.report_unsupported(f"Series.{name}")
    return Unknown(f"{name}()", f"Series.{name} is not traced", inputs=(held.table.relation,))


def is_element_method(held: Series, name: str) -> bool:
    """Tell whether a method belongs to an element, a text or a number, and not to a series."""
    return name in ("split", "replace", "round", "count", "index", "join", "get", "items")


def on_groups(run: Run, held: Groups, name: str, given: Invocation) -> Value:
    """Call a method of groups."""
    call = Call(run, given.arguments, given.keywords, given.node)
    method = group_method(name)
    if method is not None:
        return wrap(method(call, held))

    call.report_unsupported(f"GroupBy.{name}")
    return DataFrame(call.unknown(held.table))


def on_window(run: Run, held: Rolling, name: str, call: Invocation) -> Value:
    """Call a method of a window of rows."""
    return on_rolling(Call(run, call.arguments, call.keywords, call.node), held, name)


def call_series(run: Run, held: Series, given: Invocation) -> Value:
    """Call a name that looked like a column.

    df.new_method(…)      no column, since it is called, and no method that is known
    """
    name = getattr(getattr(given.node, "func", None), "attr", "this")
    call = Call(run, given.arguments, given.keywords, given.node)
    return report_untraced(call, DataFrame(held.table), name)
