"""One small Spark session for all tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from lakes import SMALL, settings_of_all

pytest.register_assert_rewrite("changes", "ways")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from lineal.spark.availability import SparkUnavailable, check
    from lineal.spark.session import session

    try:
        check()
    except SparkUnavailable as unavailable:
        pytest.skip(f"no Spark: {unavailable}")
    found = session("local[2]", {**SMALL, **settings_of_all()})
    yield found
    found.stop()
