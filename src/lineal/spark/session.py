"""A local Spark session, quiet and small."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lineal.spark.availability import check
from lineal.spark.start import start


def session(master: str = "local[2]", conf: Mapping[str, str] | None = None) -> Any:
    """The running session, if there is one, else a local one of our own with a temporary warehouse."""
    check()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    folder = Path(tempfile.mkdtemp(prefix="lineal-"))
    return start(master, conf or {}, folder, folder / "spark.log")
