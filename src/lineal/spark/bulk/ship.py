"""A session for the pipeline, and what its executors need: Python, and an archive that is sent along.

The archive has lineal, sqlglot, pyarrow and numpy as they are installed here, so that nothing has to be installed on a
cluster; its Python has to be of the same version, and its machines of the same kind. Spark asks for pandas where
`mapInArrow` is called, which is here, and not where the function runs: pandas is not sent.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from pyspark.sql import SparkSession

from lineal.spark.start import start

UNPACKED = "lineal_packages"
DISTRIBUTIONS = ("sqlglot", "sqlglotc", "pyarrow", "numpy")
SMALL = {"spark.driver.memory": "700m"}
"""Beside it there is this process: both together stay below 2 GB for a million rows."""
LEFT_OUT = ("tests", "include", "__pycache__", "src")
"""folders of the distributions that nobody imports"""


@contextmanager
def started(master: str, conf: Mapping[str, str], shown: bool = False) -> Iterator[SparkSession]:
    """A session of our own, stopped at the end; on a terminal Spark shows how far it is."""
    with tempfile.TemporaryDirectory(prefix="lineal-") as folder:
        settings = {"spark.ui.showConsoleProgress": "true"} if shown else {}
        if not master.startswith("local"):
            settings |= shipping(Path(folder, "lineal.zip"), conf)
        spark = start(master, {**SMALL, **conf, **settings}, Path(folder), Path(folder, "spark.log"))
        try:
            yield spark
        finally:
            spark.stop()


def shipping(archive: Path, conf: Mapping[str, str]) -> dict[str, str]:
    """The settings that send the archive along; who names archives already gets ours beside them."""
    pack(archive)
    several = [named for named in (conf.get("spark.archives", ""), f"{archive}#{UNPACKED}") if named]
    paths = [path for path in (UNPACKED, conf.get("spark.executorEnv.PYTHONPATH", "")) if path]
    return {"spark.archives": ",".join(several), "spark.executorEnv.PYTHONPATH": ":".join(paths)}


def pack(archive: Path) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
        here = Path(__file__).resolve().parents[2]
        for file in sorted(here.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                packed.write(file, Path("lineal", file.relative_to(here)))
        for file, name in _installed():
            packed.write(file, name)


def _installed() -> Iterator[tuple[Path, str]]:
    for name in DISTRIBUTIONS:
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue  # sqlglot goes without its compiled half
        for file in found.files or ():
            inside = not file.is_absolute() and ".." not in file.parts
            wanted = not any(part in LEFT_OUT or part.endswith(".dist-info") for part in file.parts)
            if inside and wanted and Path(str(file.locate())).is_file():
                yield Path(str(file.locate())), file.as_posix()
