"""The pandas API on Spark: where its frames come from, and where they are written.

Between the two a frame is a DataFrame: psdf[["id", "net"]] selects, and psdf["net"] = … adds a
column. Methods that only pandas has are reported where they are called.
"""

from __future__ import annotations

from typing import Any

from lineal.extract.pyspark.dispatch import (
    ACTIONS,
    Arguments,
    Keywords,
    LibraryCall,
    attribute_of,
    invoke,
    named_argument,
)
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

    def read(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        """ps.read_table("raw.orders")"""
        reader = attribute_of(run, Session(), "read", node)
        given = named_argument(arguments, keywords, 0, parameter)
        return invoke(run, attribute_of(run, reader, method, node), [given], {}, node)

    return read


def read_query(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """ps.sql("SELECT …")"""
    return invoke(run, attribute_of(run, Session(), "sql", node), arguments[:1], {}, node)


def write_frame(name: str) -> Any:
    """Return what a method of a frame writes."""
    method, parameter = WRITERS[name]

    def write(
        run: Run, relation: Relation, arguments: Arguments, keywords: Keywords, node: Any
    ) -> Value:
        """psdf.to_table("mart.orders")"""
        writer = attribute_of(run, relation, "write", node)
        given = named_argument(arguments, keywords, 0, parameter)
        return invoke(run, attribute_of(run, writer, method, node), [given], {}, node)

    return write


PANDAS_LIBRARIES: dict[str, LibraryCall] = {
    **{f"pyspark.pandas.{name}": read_frame(name) for name in READERS},
    "pyspark.pandas.sql": read_query,
}

ACTIONS.update({name: write_frame(name) for name in WRITERS})
