"""Trees of other dialects written in Spark's SQL: what sqlglot's own generator leaves to be done."""

from __future__ import annotations

from typing import Any


def write(tree: Any, dialect: str) -> str:
    """The statement in Spark's SQL."""
    return str(tree.sql(dialect="spark", pretty=True))
