"""A local Spark session, quiet and small."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from lineal.spark.availability import check
from lineal.spark.start import start
from lineal.spark.temporary import temporary_folder

_held = ExitStack()
atexit.register(_held.close)


def session(master: str = "local[2]", conf: Mapping[str, str] | None = None) -> Any:
    """The running session, if there is one, else a local one of our own with a temporary warehouse,
    which goes with this process.
    """
    check()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running

    folder = _held.enter_context(temporary_folder())
    return start(master, conf or {}, folder, folder / "spark.log")
