"""One small Spark session for all tests that need one."""

from __future__ import annotations

import gc
import warnings
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


@pytest.fixture
def closed_callbacks() -> Iterator[None]:
    """Collect the sockets that py4j leaves open when the thread of a batch ends: it closes none."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
