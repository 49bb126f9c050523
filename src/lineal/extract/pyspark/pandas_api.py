"""The pandas API on Spark: where its frames come from, and where they are written.

Between the two a frame is a DataFrame: psdf[["id", "net"]] selects, and psdf["net"] = … adds a
column. Methods that only pandas has are reported where they are called.
"""

from __future__ import annotations

from typing import Any

from lineal.extract.pyspark.dispatch import ACTIONS, LibraryCall, attribute_of, invoke
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Session, Value

READERS = {
    "read_table": ("table", "name"),
    "read_delta": ("load", "path"),
    "read_parquet": ("parquet", "path"),
    "read_orc": ("orc", "path"),
    "read_csv": ("csv", "path"),
    "read_json": ("json", "path"),
}
"""ps.read_table("raw.orders"): the method of spark.read that reads the same."""

WRITERS = {
    "to_table": ("saveAsTable", "name"),
    "to_delta": ("save", "path"),
    "to_parquet": ("parquet", "path"),
    "to_orc": ("orc", "path"),
}
"""psdf.to_table("mart.orders"): the method of df.write that writes the same."""


def read_frame(name: str) -> LibraryCall:
    """Return what a function of pyspark.pandas reads."""
    method, parameter = READERS[name]

    def read(run: Run, call: Invocation) -> Value:
        """ps.read_table("raw.orders")"""
        reader = attribute_of(run, Session(), "read", call.node)
        given = call.argument(0, parameter)
        return invoke(
            run, attribute_of(run, reader, method, call.node), call.with_arguments([given], {})
        )

    return read


def read_query(run: Run, call: Invocation) -> Value:
    """ps.sql("SELECT …")"""
    return invoke(
        run,
        attribute_of(run, Session(), "sql", call.node),
        call.with_arguments(call.arguments[:1], {}),
    )


def write_frame(name: str) -> Any:
    """Return what a method of a frame writes."""
    method, parameter = WRITERS[name]

    def write(run: Run, relation: Relation, call: Invocation) -> Value:
        """psdf.to_table("mart.orders")"""
        writer = attribute_of(run, relation, "write", call.node)
        given = call.argument(0, parameter)
        return invoke(
            run, attribute_of(run, writer, method, call.node), call.with_arguments([given], {})
        )

    return write


PANDAS_LIBRARIES: dict[str, LibraryCall] = {
    **{f"pyspark.pandas.{name}": read_frame(name) for name in READERS},
    "pyspark.pandas.sql": read_query,
}

ACTIONS.update({name: write_frame(name) for name in WRITERS})
