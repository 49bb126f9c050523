"""The pandas API on Spark: frames of pandas that are read from, and written to, tables of Spark."""

from __future__ import annotations

from collections.abc import Callable

from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.columns import set_index
from lineal.extract.dataframes.pandas.files import open_table, with_folded_names
from lineal.extract.dataframes.pandas.library import PANDAS
from lineal.extract.dataframes.pandas.values import DataFrame, Table
from lineal.extract.dataframes.sources import write_path, write_table
from lineal.extract.pyspark.dispatch import ACTIONS, LibraryCall
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.library_functions import LIBRARIES
from lineal.extract.pyspark.pandas_api import PANDAS_LIBRARIES
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Value

ROOT = "pyspark.pandas."


def to_frame(run: Run, relation: Relation, call: Invocation) -> Value:
    """df.pandas_api()      the same columns, as a frame of pandas"""
    return open_table(run, relation)


def reading(read: LibraryCall) -> LibraryCall:
    """Return a reader of Spark whose DataFrame is a frame of pandas: ps.read_table("raw.orders")."""

    def read_as_frame(run: Run, call: Invocation) -> Value:
        """ps.read_table("raw.orders", index_col="id")"""
        found = read(run, call)
        if not isinstance(found, Relation):
            return found

        frame = open_table(run, found)
        names = call.keywords.get("index_col")
        if names is None:
            return frame

        return DataFrame(set_index(Call(run, [names], {}, call.node), frame.table))

    return read_as_frame


def function_named(name: str) -> LibraryCall:
    """Return a function of pandas under the name that the API on Spark has for it: ps.concat."""

    def call_function(run: Run, call: Invocation) -> Value:
        """ps.concat([a, b])"""
        return PANDAS[name](Call(run, call.arguments, call.keywords, call.node))

    return call_function


def from_pandas(run: Run, call: Invocation) -> Value:
    """ps.from_pandas(frame)"""
    return call.arguments[0] if call.arguments else next(iter(call.keywords.values()), None)


def to_spark(call: Call, table: Table) -> Value:
    """psdf.to_spark(), psdf.to_spark(index_col="id")"""
    return spark_columns(call, table)


def to_table(call: Call, table: Table) -> Value:
    """psdf.to_table("mart.orders", mode="append")"""
    append = call.keywords.get("mode") in ("append", "a")
    write_table(call.run, spark_columns(call, table), call.get(0, "name"), call.node, append)
    return None


def to_path(call: Call, table: Table) -> Value:
    """psdf.to_delta("s3://lake/orders", mode="append"), psdf.to_spark_io(path)"""
    append = call.keywords.get("mode") in ("append", "a")
    write_path(call.run, spark_columns(call, table), call.get(0, "path"), call.node, append)
    return None


def spark_columns(call: Call, table: Table) -> Relation:
    """Return the columns that Spark gets: the index only if it is asked for."""
    if call.keywords.get("index_col") is None:
        return with_folded_names(table.relation)

    return with_folded_names(table.relation.derive([*table.index, *table.relation.attributes]))


METHODS_ON_SPARK: dict[str, Callable[[Call, Table], Value]] = {
    "to_spark": to_spark,
    "to_table": to_table,
    "to_delta": to_path,
    "to_spark_io": to_path,
}
"""Methods that only frames on Spark have."""

ACTIONS.update(dict.fromkeys(("pandas_api", "to_pandas_on_spark", "to_koalas"), to_frame))
LIBRARIES.update({f"{ROOT}{name}": function_named(name) for name in PANDAS})
LIBRARIES.update({name: reading(read) for name, read in PANDAS_LIBRARIES.items()})
LIBRARIES[f"{ROOT}from_pandas"] = from_pandas
