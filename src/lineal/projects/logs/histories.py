"""The query histories of warehouses: their columns, and which rows are statements that ran.

Both readers of logs use these descriptions: `lineal lineage` through `Filter`, `lineal pipeline`
as a condition of Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lineal.projects.logs.columns import CANDIDATES, field_at
from lineal.projects.logs.period import AFTER, BEFORE, NO_TIME

DID_NOT_RUN = "did not succeed"
IN_PARTS = "a script whose statements have their own rows"
CUT_OFF = "cut off by the engine, which keeps {:,} characters"
NOT_DUE = (DID_NOT_RUN, IN_PARTS, NO_TIME, BEFORE, AFTER)


def is_not_due(reason: str) -> bool:
    """Tell whether a row is left out on purpose, because it gives no lineage or nobody asked for it;
    other rows are lost.
    """
    return reason in NOT_DUE or reason.startswith(CUT_OFF.partition("{")[0])


NOTHING = ("", "{}", "[]", "null", "none")
"""How a column of errors is written where there was none."""


class History(NamedTuple):
    """A kind of log. A part's columns are tried in their order; a dot leads into a field."""

    dialect: str
    text: str
    user: str = ""
    time: str = ""
    id: str = ""
    database: str = ""
    succeeded: tuple[tuple[str, str], ...] = ()
    """columns that tell how a statement ended, and what they say of one that did"""
    failed: tuple[str, ...] = ()
    """columns that are filled only for what went wrong"""
    schema: str = ""
    parent: str = ""
    """a column that has the id of the script which a statement is a part of"""
    longest: tuple[tuple[str, int], ...] = ()
    """columns of texts that the engine cuts off, and after how many characters"""
    signs: tuple[tuple[str, ...], ...] = ()
    """columns that only this history has together"""
    escapes_lines: bool = False
    r"""whether a line end is written as \n, so that it counts as two characters"""

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Return the column names that may hold each part of a log row."""
        return {part: tuple(getattr(self, part).split()) for part in CANDIDATES}

    def limit_of(self, columns: Iterable[str]) -> int | None:
        """Return how many characters the engine keeps of a text, by the column that holds it."""
        present = {name.lower() for name in columns}
        chosen = next((name for name in self.text.split() if name in present), "")
        return dict(self.longest).get(chosen)


HISTORIES = {
    "snowflake": History(
        "snowflake", "query_text", "user_name", "start_time", "query_id", "database_name",
        (("execution_status", "SUCCESS"),), schema="schema_name", longest=(("query_text", 100_000),),
        signs=(("query_text", "execution_status"), ("query_text", "warehouse_name")),
    ),
    "bigquery": History(
        "bigquery", "query configuration.query.query", "user_email", "creation_time start_time statistics.creationTime",
        "job_id jobReference.jobId", "project_id jobReference.projectId",
        (("state", "DONE"), ("status.state", "DONE")), ("error_result", "status.errorResult"),
        parent="parent_job_id statistics.parentJobId",
        signs=(("query", "job_id"), ("query", "error_result"), ("configuration.query.query", "jobReference")),
    ),
    "databricks": History(
        "databricks", "statement_text", "executed_by", "start_time", "statement_id", "",
        (("execution_status", "FINISHED"),), signs=(("statement_text", "execution_status"),),
    ),
    "redshift": History(
        "redshift", "query_text querytxt text", "username user_name usename user_id userid", "start_time starttime",
        "query_id query", "database_name database", (("status", "success"), ("aborted", "0")),
        longest=(("query_text", 4000), ("querytxt", 4000)),
        signs=(
            ("querytxt", "aborted"), ("query_text", "query_type", "status"),
            ("query_text", "transaction_id", "status"), ("query", "sequence", "text"), ("query_id", "sequence", "text"),
        ),
        escapes_lines=True,
    ),
    "postgres-csvlog": History(
        "postgres", "message", "user_name user", "log_time timestamp", "query_id", "database_name dbname"
    ),
}  # fmt: skip
"""Snowflake's QUERY_HISTORY; BigQuery's INFORMATION_SCHEMA.JOBS, and the jobs that `bq ls` and the
API list; Databricks' system.query.history; Redshift's SYS_QUERY_HISTORY and STL_QUERY, and its
STL_QUERYTEXT and SYS_QUERY_TEXT; PostgreSQL's csvlog and jsonlog."""

CSVLOG, REDSHIFT = "postgres-csvlog", "redshift"


def recognize(columns: Iterable[str]) -> str | None:
    """Return the name of the history that has these columns; dotted names are fields of fields."""
    present = {name.lower() for name in columns}
    for name, history in HISTORIES.items():
        if any(all(sign.lower() in present for sign in signs) for signs in history.signs):
            return name

    return None


def field_paths(fields: Mapping[str, object]) -> list[str]:
    """Return the names of fields, and the dotted names of fields in them, two levels deep."""
    found = []
    for name, value in fields.items():
        found.append(name)
        if not isinstance(value, Mapping):
            continue

        for inner, deeper in value.items():
            found.append(f"{name}.{inner}")
            if isinstance(deeper, Mapping):
                found += [f"{name}.{inner}.{last}" for last in deeper]

    return found


def failure_of(history: History, fields: Mapping[str, object]) -> bool:
    """Tell whether a row says that its statement did not succeed."""
    for name, expected in history.succeeded:
        status = field_at(fields, name)
        if status is not None and str(status).strip().upper() != expected.upper():
            return True

    return any(_is_filled(field_at(fields, name)) for name in history.failed)


def _is_filled(value: object) -> bool:
    """{"reason": "invalidQuery"}; but {}, and a null in every field, say nothing"""
    if isinstance(value, Mapping):
        return any(map(_is_filled, value.values()))

    if isinstance(value, list):
        return bool(value)

    return value is not None and "".join(str(value).split()).lower() not in NOTHING


def cut_off_at(history: History, fields: Mapping[str, object], text: str) -> int | None:
    """Return how many characters the engine keeps, if the text of a row has that many.

    SELECT … FROM sales_2      of sales_2026: it would be read, and mean another table
    """
    longest = history.limit_of(fields)
    if longest is None:
        return None

    written = len(text) + (text.count("\n") if history.escapes_lines else 0)
    if written >= longest:
        return longest

    return None
