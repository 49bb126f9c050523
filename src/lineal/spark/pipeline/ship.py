"""A session for the pipeline, and what its executors need: Python, and an archive that is sent
along.

The archive has lineal, sqlglot, pyarrow and numpy. Spark asks for pandas where `mapInArrow` is
called, which is here, and not where the function runs: pandas is not sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from lineal import __version__
from lineal.spark import archive
from lineal.spark.pipeline.errors import BulkError
from lineal.spark.start import start
from lineal.spark.temporary import temporary_folder

DISTRIBUTIONS = ("sqlglot", "sqlglotc", "pyarrow", "numpy")
"""The packages that are sent with lineal; sqlglot goes without its compiled half where that is not installed.
"""
SMALL = {"spark.driver.memory": "700m"}
"""This process runs next to it: both together stay below 2 GB for a million rows."""


JAVA_OPTIONS = "spark.driver.extraJavaOptions"


@contextmanager
def start_session(
    master: str, conf: Mapping[str, str], shown: bool = False, installed: bool = False
) -> Iterator[SparkSession]:
    """A session of our own, stopped at the end; on a terminal Spark shows how far it is.

    Executors on which lineal is installed need no archive.
    """
    with temporary_folder() as folder:
        settings = {"spark.ui.showConsoleProgress": "true"} if shown else {}
        # the driver's own copies go with the folder, also after a kill
        settings[JAVA_OPTIONS] = f"{conf.get(JAVA_OPTIONS, '')} -Djava.io.tmpdir={folder}".strip()
        if not installed and not master.startswith("local"):
            packed = folder / "lineal.zip"
            pack(packed)
            settings |= archive.settings_for_archive(packed, conf)

        spark = start(master, {**SMALL, **conf, **settings}, folder, folder / "spark.log")
        try:
            if installed:
                check_installed(spark)

            yield spark
        finally:
            spark.stop()


def check_installed(spark: SparkSession) -> None:
    """Refuse executors that have no lineal, or another one than the driver."""
    tasks = spark.sparkContext.defaultParallelism
    found = (
        spark.sparkContext.parallelize(range(tasks), tasks).mapPartitions(_make_probe()).collect()
    )
    wrong = sorted(set(found) - {__version__})
    if wrong:
        raise BulkError(
            f"executors have {wrong[0]}, and the driver has lineal {__version__}: install it on all "
            "of them with its extra spark, or leave out --installed"
        )


def _make_probe() -> Callable[[Iterable[int]], Iterator[str]]:
    """A function that travels by its code: where it runs, lineal may be missing."""

    def ask(_: Iterable[int]) -> Iterator[str]:
        """Return the version of lineal on an executor, or the package that is missing."""
        from importlib import import_module

        try:
            several = list(map(import_module, ("lineal", "sqlglot", "pyarrow", "numpy")))
            yield str(several[0].__version__)
        except ImportError as problem:
            yield f"no {problem.name}"

    return ask


def pack(packed: Path) -> None:
    """Write the archive."""
    archive.pack(packed, DISTRIBUTIONS, [Path(__file__).resolve().parents[2]])
