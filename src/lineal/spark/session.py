"""A local Spark session, quiet and small; and what to say when there is none to be had."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

OLDEST_JAVA = 17

QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.log.level": "OFF",
}


class SparkUnavailable(Exception):
    """Spark cannot be started here; the message says what to install."""


def session(master: str = "local[2]", conf: Mapping[str, str] | None = None, warehouse: str | None = None) -> Any:
    """A session for lineal's own use; the running one, if there is one."""
    check()
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.master(master).appName("lineal")
    settings = {**QUIET, "spark.sql.warehouse.dir": warehouse or tempfile.mkdtemp(prefix="lineal-"), **(conf or {})}
    for key, value in settings.items():
        builder = builder.config(key, value)
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    with muted() as said:
        try:
            return builder.getOrCreate()
        except Exception as problem:
            last = said.last_line()
            raise SparkUnavailable(f"Spark does not start: {last or one_line(problem)}") from None


def check() -> None:
    """pyspark is installed, and a Java that it can use."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise SparkUnavailable("Spark is not installed: pip install 'lineal[spark]'") from None
    found = java_version()
    if found is None:
        raise SparkUnavailable(f"Java is not installed: install a JRE, version {OLDEST_JAVA} or newer")
    if found < OLDEST_JAVA:
        raise SparkUnavailable(f"Java {found} is too old for Spark: install a JRE, version {OLDEST_JAVA} or newer")


def java_version() -> int | None:
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if command is None or not Path(command).exists():
        return None
    try:
        said = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(said.stderr + said.stdout)


def parse_version(text: str) -> int | None:
    """openjdk version "17.0.15": 17; java version "1.8.0_401": 8"""
    found = re.search(r'version "(\d+)(?:\.(\d+))?', text)
    if not found:
        return None
    major = int(found[1])
    return int(found[2] or 0) if major == 1 else major


class Said:
    """What the engine wrote while it started."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def last_line(self) -> str:
        lines = self.path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        errors = [line for line in lines if "rror" in line or "xception" in line]
        return (errors or lines or [""])[-1].strip()[:300]


@contextmanager
def muted() -> Iterator[Said]:
    """The engine's process writes to the terminal before it has read how much it may say: to a file with it.

    LINEAL_SPARK_LOG=1 lets it speak.
    """
    if os.environ.get("LINEAL_SPARK_LOG"):
        yield Said(Path(os.devnull))
        return
    with tempfile.NamedTemporaryFile(prefix="lineal-spark-", suffix=".log") as log:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            yield Said(Path(log.name))
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def one_line(problem: BaseException) -> str:
    text = str(problem).strip().splitlines()
    return (text[0] if text else type(problem).__name__)[:300]
