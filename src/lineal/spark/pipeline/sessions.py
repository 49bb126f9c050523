"""Sessions with and without a JVM in reach: one of this process, or one of Spark Connect.

A session of Spark Connect, as Databricks gives it, has no `sparkContext`: values travel with the
functions that need them, and files are read by the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, NamedTuple, TypeVar

from pyspark.sql import SparkSession

from lineal.spark.pipeline.errors import BulkError

Value = TypeVar("Value")
PARALLELISM = (
    "spark.sql.leafNodeDefaultParallelism",
    "spark.default.parallelism",
    "spark.sql.shuffle.partitions",
)
FEWEST_TASKS = 2


class Carried(NamedTuple, Generic[Value]):
    """A value that travels with a function; it is asked for like a broadcast one."""

    value: Value


def is_connect(spark: SparkSession) -> bool:
    """Tell whether a session is one of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


@contextmanager
def share_value(spark: SparkSession, value: Value) -> Iterator[object]:
    """Give executors a value; a function asks for its `.value`."""
    if is_connect(spark):
        yield Carried(value)
        return

    shared = spark.sparkContext.broadcast(value)
    yield shared
    shared.destroy()


def parallelism(spark: SparkSession) -> int:
    """Return how many tasks keep all executors busy."""
    if not is_connect(spark):
        return spark.sparkContext.defaultParallelism

    said = (spark.conf.get(key, None) for key in PARALLELISM)
    return next((int(value) for value in said if value), FEWEST_TASKS)


def check_jvm(spark: SparkSession, what: str, remedy: str) -> None:
    """Refuse a task for which Spark Connect has no call."""
    if is_connect(spark):
        raise BulkError(f"{what} is not possible with Spark Connect: {remedy}")
