"""A session for the pipeline, and what its executors need: Python, and an archive that is sent
along.

The archive has lineal, sqlglot, pyarrow and numpy. Spark asks for pandas where `mapInArrow` is
called, which is here, and not where the function runs: pandas is not sent.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from lineal.spark import archive
from lineal.spark.start import start

DISTRIBUTIONS = ("sqlglot", "sqlglotc", "pyarrow", "numpy")
"""What is sent beside lineal; sqlglot goes without its compiled half where that is not installed.
"""
SMALL = {"spark.driver.memory": "700m"}
"""Beside it there is this process: both together stay below 2 GB for a million rows."""


@contextmanager
def started(master: str, conf: Mapping[str, str], shown: bool = False) -> Iterator[SparkSession]:
    """A session of our own, stopped at the end; on a terminal Spark shows how far it is."""
    with tempfile.TemporaryDirectory(prefix="lineal-") as folder:
        settings = {"spark.ui.showConsoleProgress": "true"} if shown else {}
        if not master.startswith("local"):
            packed = Path(folder, "lineal.zip")
            pack(packed)
            settings |= archive.shipping(packed, conf)
        spark = start(
            master, {**SMALL, **conf, **settings}, Path(folder), Path(folder, "spark.log")
        )
        try:
            yield spark
        finally:
            spark.stop()


def pack(packed: Path) -> None:
    """Write the archive."""
    archive.pack(packed, DISTRIBUTIONS, [Path(__file__).resolve().parents[2]])
