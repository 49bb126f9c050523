"""The requirements of Spark, and the message if one is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from lineal.model.boundary import Passing

OLDEST_JAVA = 17
OLDEST_SPARK = 4
JAVA_SECONDS = 60

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


class SparkUnavailable(Passing):
    """Spark cannot be started here; the message says what to install."""


def check() -> None:
    """pyspark is installed, and a Java that it can use."""
    try:
        import pyspark
    except ImportError:
        raise SparkUnavailable("Spark is not installed: pip install 'lineal[spark]'") from None

    refused = refusal_of(pyspark.__version__)
    if refused is not None:
        raise SparkUnavailable(refused)

    found = installed_java()
    if isinstance(found, str):
        raise SparkUnavailable(found)

    if found < OLDEST_JAVA:
        raise SparkUnavailable(
            f"Java {found} is too old for Spark: install a JRE, version {OLDEST_JAVA} or newer"
        )


def refusal_of(version: str) -> str | None:
    """Return why a version of Spark cannot be used."""
    major = re.match(r"\d+", version)
    if major is None or int(major[0]) >= OLDEST_SPARK:
        return None

    return (
        f"Spark {version} is too old for lineal: use Spark {OLDEST_SPARK}.0 or newer "
        "(pip install 'lineal[spark]')"
    )


def installed_java() -> int | str:
    """Return the version of Java, or a message that says why it cannot be used."""
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if command is None or not Path(command).exists():
        return f"Java is not installed: install a JRE, version {OLDEST_JAVA} or newer"

    try:
        said = subprocess.run(  # noqa: S603
            [command, "-version"], capture_output=True, text=True, timeout=JAVA_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{command} -version has not answered in {JAVA_SECONDS} seconds: is the machine too busy? Try again"
    except OSError as problem:
        return f"{command} cannot be started: {problem.strerror or problem}"

    found = parse_version(said.stderr + said.stdout)
    if found is None:
        words = (
            " ".join((said.stderr + said.stdout).split())[:200]
            or f"nothing, exit code {said.returncode}"
        )
        return f"{command} -version does not say which version it is, but: {words}"

    return found


def parse_version(text: str) -> int | None:
    """openjdk version "17.0.15": 17; java version "1.8.0_401": 8"""
    found = re.search(r'version "(\d+)(?:\.(\d+))?', text)
    if not found:
        return None

    major = int(found[1])
    if major == 1:
        return int(found[2] or 0)

    return major


def one_line(problem: BaseException) -> str:
    """Return the first line of a problem's message."""
    text = _java_message(problem).strip().splitlines()
    return (text[0] if text else type(problem).__name__)[:300]


def _java_message(problem: BaseException) -> str:
    """Return the message of Java; py4j only names the call, and a waiting thread only that it
    waited.
    """
    thrown = getattr(problem, "java_exception", None)
    if thrown is None:
        return str(problem)

    while "awaitResult" in thrown.toString() and thrown.getCause() is not None:
        thrown = thrown.getCause()

    return str(thrown.toString())
