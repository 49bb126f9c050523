"""What sessions of tests are started with; those with a table format run in `make test-delta` and
`make test-iceberg`.

LINEAL_TEST_DELTA and LINEAL_TEST_ICEBERG name a folder of jars, or coordinates, that fit the
pyspark that is imported.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.network.timeout": "1h",
}
"""A test's queries are tiny and many: to compile them takes longer than to run them.

Where a machine pauses for two minutes, Spark misses its own heartbeats, and ends the JVM ten
minutes later.
"""

FORMATS = {
    "LINEAL_TEST_DELTA": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
    },
    "LINEAL_TEST_ICEBERG": {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
    },
    "LINEAL_TEST_KAFKA": {},
}

FEW_TASKS = {"spark.sql.sources.parallelPartitionDiscovery.parallelism": "1"}
"""VACUUM lists the files of a table by a job of so many tasks, which are 10,000 without this."""


def settings(variable: str) -> dict[str, str]:
    """What a session needs for the format; nothing where the variable names none."""
    named = os.environ.get(variable, "")
    if not named:
        return {}
    jars = {"spark.jars.packages": named}
    if Path(named).is_dir():
        jars = {
            "spark.driver.extraClassPath": f"{named}/*",
            "spark.executor.extraClassPath": f"{named}/*",
        }
    return {**FORMATS[variable], **FEW_TASKS, **jars, "spark.driver.memory": "2g"}


def settings_of_all() -> dict[str, str]:
    return {key: value for variable in FORMATS for key, value in settings(variable).items()}


def needs(variable: str, command: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        not os.environ.get(variable), reason=f"{variable} names no jars: {command} does"
    )


needs_delta = needs("LINEAL_TEST_DELTA", "make test-delta")
needs_iceberg = needs("LINEAL_TEST_ICEBERG", "make test-iceberg")
needs_kafka = needs("LINEAL_TEST_KAFKA", "make test-kafka")
