"""What the caller has to change."""

from __future__ import annotations

import re

from lineal.model.boundary import Passing
from lineal.spark.availability import one_line

NO_CONNECTOR = re.compile(
    r"No FileSystem for scheme|ClassNotFoundException: Class \S+FileSystem not found"
)


class BulkError(Passing):
    """The pipeline cannot do what it was asked for; the message says what to change."""


def explain_error(problem: BaseException) -> str:
    """What Spark says of a place that it cannot reach, and what to do about it if that is known."""
    said = one_line(problem)
    if NO_CONNECTOR.search(said):
        return f"{said}: name the package of its connector with --conf spark.jars.packages=…"
    return said
