"""Errors that the caller can correct."""

from __future__ import annotations

import errno
import re

from lineal.model.boundary import Passing
from lineal.spark.availability import one_line

NO_CONNECTOR = re.compile(
    r"No FileSystem for scheme|ClassNotFoundException: Class \S+FileSystem not found"
)


REMEDIES = (
    (
        re.compile(r"No module named '?(lineal|sqlglot|pyarrow|numpy)\b"),
        "the executors have no {}: install lineal[spark] on them in the driver's version (on "
        "Databricks, as a library of the cluster)",
    ),
    (
        re.compile(r"PYTHON_VERSION_MISMATCH|Python in worker has different version:? (\S+)"),
        "driver and executors have different versions of Python: set PYSPARK_PYTHON to a Python of "
        "the driver's version",
    ),
    (
        re.compile(r"No space left on device"),
        "no space left on a disk of the executors: free some, or name a folder on another disk with "
        "--conf spark.local.dir=…; run the same command again to continue",
    ),
    (
        re.compile(
            r"OutOfMemoryError|Container killed by YARN|OOMKilled|exit code 137|together: killed.*SIGKILL"
        ),
        "too little memory: set --conf spark.driver.memory=… for a local run, else --conf "
        "spark.executor.memory=…; run the same command again to continue",
    ),
)
"""Spark's messages about executors that cannot do the work, each with a remedy."""


class BulkError(Passing):
    """The pipeline cannot do what it was asked for; the message says what to change."""


def explain_error(problem: BaseException) -> str:
    """Return Spark's message about an unreachable place, with the remedy if it is known."""
    said = one_line(problem)
    if NO_CONNECTOR.search(said):
        return f"{said}: name the package of its connector with --conf spark.jars.packages=…"

    return said


def is_full_disk(problem: OSError) -> bool:
    """Tell whether there is no space left on a disk of this machine, or not for this user."""
    return problem.errno in (errno.ENOSPC, errno.EDQUOT)


def remedy_of(said: str) -> str | None:
    """Return what to do about a known failure of the executors; None for any other."""
    for pattern, remedy in REMEDIES:
        found = pattern.search(said)
        if found is not None:
            return remedy.format(*found.groups())

    return None
