"""CALL lake.system.add_files(…): a procedure runs while Spark analyzes the statement, and no
listener is told of it.

So the words that a job hands to `spark.sql` are looked at, for as long as somebody watches.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

Told = Callable[[str], None]
"""Is called with the name of each procedure that has run."""

CALL = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*CALL\s+([^\s(]+)", re.IGNORECASE | re.DOTALL)

HOUSEKEEPING = frozenset((
    "ancestors_of", "compute_partition_stats", "compute_table_stats", "create_changelog_view", "expire_snapshots",
    "remove_orphan_files", "rewrite_data_files", "rewrite_manifests", "rewrite_position_delete_files",
    "rewrite_table_path",
))  # fmt: skip
"""Iceberg's procedures after which every table has the rows that it had before"""

_listening: list[Told] = []


def listen(told: Told) -> None:
    """From now on."""
    from pyspark.sql import SparkSession

    if not _listening:
        SparkSession.sql = listen_to_sql(SparkSession.sql)  # type: ignore[method-assign]

    _listening.append(told)


def leave(told: Told) -> None:
    """Stop listening; nothing is left behind."""
    from pyspark.sql import SparkSession

    if told not in _listening:
        return

    _listening.remove(told)
    if not _listening:
        SparkSession.sql = SparkSession.sql.__wrapped__  # type: ignore[method-assign, attr-defined]


def listen_to_sql(spoken: Any) -> Any:
    """spark.sql as it is; the procedures among the statements that it has executed are reported."""

    @wraps(spoken)
    def sql(session: Any, *given: Any, **named: Any) -> Any:
        """Run a statement, and report a procedure that it calls."""
        answer = spoken(session, *given, **named)
        name = procedure_name(given[0] if given else named.get("sqlQuery"))
        for told in tuple(_listening) if name else ():
            told(name)

        return answer

    return sql


def procedure_name(text: Any) -> str:
    """CALL lake.system.rollback_to_snapshot('t', 1)

    its name; '' for what only keeps house, and what calls none
    """
    found = CALL.match(text) if isinstance(text, str) else None
    name = found.group(1).replace("`", "") if found is not None else ""
    if name.lower().rpartition(".")[2] in HOUSEKEEPING:
        return ""

    return name
