"""A session for the pipeline, and what its executors need to have."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from lineal.spark.start import start


@contextmanager
def started(master: str, conf: Mapping[str, str], shown: bool = False) -> Iterator[SparkSession]:
    """A session of our own, stopped at the end; on a terminal Spark shows how far it is."""
    settings = {"spark.ui.showConsoleProgress": str(shown).lower(), **conf}
    with tempfile.TemporaryDirectory(prefix="lineal-") as folder:
        spark = start(master, settings, Path(folder), Path(folder, "spark.log"))
        try:
            yield spark
        finally:
            spark.stop()
