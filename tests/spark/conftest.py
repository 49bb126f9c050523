"""One small Spark session for all tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from lakes import settings_of_all

SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""A test's queries are tiny and many: to compile them takes longer than to run them."""


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from lineal.spark.session import SparkUnavailable, check, session

    try:
        check()
    except SparkUnavailable as unavailable:
        pytest.skip(f"no Spark: {unavailable}")
    found = session("local[2]", {**SMALL, **settings_of_all()})
    yield found
    found.stop()
