"""Facts about numbers, dates and patterns of the dialects in which they differ from Spark's."""

from __future__ import annotations

POSTGRES = frozenset(("postgres", "redshift", "duckdb", "materialize", "risingwave"))
"""Dialects in which a date minus a date is a number of days."""

COUNTS_FROM_SUNDAY = POSTGRES | {"snowflake"}
"""Dialects in which Sunday is the day 0 of the week; in Spark it is 1."""

DIVIDES_BY_ZERO = frozenset(
    ("duckdb", "mysql", "sqlite", "doris", "starrocks", "singlestore", "clickhouse")
)
"""Dialects in which a / 0 is null, or no number, and no error."""

ROUNDS = POSTGRES | {
    "snowflake",
    "bigquery",
    "trino",
    "presto",
    "athena",
    "mysql",
    "oracle",
    "exasol",
    "teradata",
}
"""Dialects in which a cast to a whole number rounds; Spark cuts off."""

COUNTS_BEGUN = frozenset(("snowflake", "redshift", "duckdb", "bigquery", "tsql", "fabric"))
"""Dialects whose date difference counts the units that begin in between; Spark counts those that
have passed.
"""

DECIMALS = {
    "bigquery": (38, 9),
    "duckdb": (18, 3),
    "materialize": (38, 12),
    "postgres": (38, 12),
    "redshift": (18, 0),
    "risingwave": (38, 12),
    "snowflake": (38, 0),
    "trino": (38, 0),
}
"""The precision and scale of a decimal that names none; PostgreSQL's has no limit."""

ADDS_TO_TIMES = frozenset(("snowflake", "redshift", "tsql", "fabric"))
"""Dialects whose DATEADD takes a time as well as a date, and gives back what it takes."""

DIVIDES_AS_DOUBLE = frozenset(("duckdb",))
"""Dialects in which a / b of whole numbers is a double."""

TRUNCATES_TO_DATES = frozenset(("duckdb", "snowflake"))
"""Dialects in which date_trunc of a date is a date; in Spark it is a timestamp."""

MATCHES_WHOLE_TEXTS = frozenset(("snowflake",))
"""Dialects in which a pattern of a regular expression is for the whole text."""
