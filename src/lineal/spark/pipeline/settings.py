"""Settings of a session for a while."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


@contextmanager
def settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """As it needs them, and in the end as they were."""
    before = {key: spark.conf.get(key, None) for key in wanted}
    for key, value in wanted.items():
        spark.conf.set(key, value)

    try:
        yield
    finally:
        with suppress(PySparkException, Py4JError):  # a session that is gone needs nothing back
            for key, former in before.items():
                if former is None:
                    spark.conf.unset(key)
                else:
                    spark.conf.set(key, former)
