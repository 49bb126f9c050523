"""The query histories of engines: the columns that matter, and which rows are statements that ran."""

from __future__ import annotations

from typing import NamedTuple

from lineal.projects.logs.columns import CANDIDATES
from lineal.spark.pipeline.errors import BulkError


class Preset(NamedTuple):
    """A kind of log. A part's columns are tried in their order."""

    dialect: str
    text: str
    user: str = ""
    time: str = ""
    id: str = ""
    database: str = ""
    succeeded: tuple[tuple[str, str], ...] = ()
    """columns that tell how a statement ended, and what they say of one that did"""
    failed: str = ""
    """a column that is filled only for what went wrong"""
    schema: str = ""
    parent: str = ""
    """a column that has the id of the script which a statement is a part of"""
    longest: tuple[tuple[str, int], ...] = ()
    """columns of texts that the engine cuts off, and after how many characters"""

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Return the column names that may hold each part of a log row."""
        return {part: tuple(getattr(self, part).split()) for part in CANDIDATES}


PRESETS = {
    "snowflake": Preset(
        "snowflake", "query_text", "user_name", "start_time", "query_id", "database_name",
        (("execution_status", "SUCCESS"),), schema="schema_name", longest=(("query_text", 100_000),),
    ),
    "bigquery": Preset(
        "bigquery", "query", "user_email", "creation_time start_time", "job_id", "project_id",
        (("state", "DONE"),), "error_result", parent="parent_job_id",
    ),
    "databricks": Preset(
        "databricks", "statement_text", "executed_by", "start_time", "statement_id", "",
        (("execution_status", "FINISHED"),),
    ),
    "redshift": Preset(
        "redshift", "query_text querytxt text", "username user_name usename user_id userid", "start_time starttime",
        "query_id query", "database_name database", (("status", "success"), ("aborted", "0")),
        longest=(("query_text", 4000), ("querytxt", 4000)),
    ),
    "postgres-csvlog": Preset(
        "postgres", "message", "user_name user", "log_time timestamp", "query_id", "database_name dbname"
    ),
}  # fmt: skip
"""Snowflake's QUERY_HISTORY, BigQuery's INFORMATION_SCHEMA.JOBS, Databricks' system.query.history,
Redshift's
SYS_QUERY_HISTORY and STL_QUERY, and its STL_QUERYTEXT and SYS_QUERY_TEXT, PostgreSQL's csvlog and
jsonlog."""

CSVLOG, REDSHIFT = "postgres-csvlog", "redshift"


def preset_of(name: str | None) -> Preset | None:
    """Return a preset by its name."""
    if name is None:
        return None
    if name not in PRESETS:
        raise BulkError(f"no preset {name}: choose one of {', '.join(PRESETS)}")
    return PRESETS[name]
