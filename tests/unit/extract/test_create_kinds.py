"""No kind of CREATE with a query is passed over: it has edges, or a diagnostic."""

from __future__ import annotations

import pytest
from sqlglot.dialects.dialect import Dialect

from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script

DIALECTS = (
    "bigquery", "clickhouse", "databricks", "duckdb", "hive", "mysql", "oracle", "postgres", "redshift", "snowflake",
    "spark", "teradata", "trino", "tsql",
)  # fmt: skip

COMPOSED = frozenset(("FUNCTION", "MACRO", "PROCEDURE"))
"""What holds its query until somebody calls it."""

OTHERS = """ACCESS METHOD|AGGREGATE|ALERT|CATALOG|CONNECTION|DIMENSION|DOMAIN|DYNAMIC TABLE|EVENT TABLE|EXTERNAL TABLE
EXTENSION|FEATURE VIEW|FLOW|HIERARCHY|ICEBERG TABLE|JOIN INDEX|LIVE VIEW|MATERIALIZED VIEW|METRIC VIEW|NOTEBOOK|PIPE
POLICY|PROPERTY GRAPH|PROJECTION|ROUTINE LOAD|RULE|SEMANTIC VIEW|SHARE|SNAPSHOT|STATISTICS|STREAM|SUBSCRIPTION|TAG
TRANSFORM|USER|VOLUME|WAREHOUSE|WINDOW VIEW|WORKLOAD GROUP|NEVER HEARD OF"""
"""Kinds of several engines that the parser does not know everywhere, and one that nobody knows."""


def kinds_of(dialect: str) -> list[str]:
    """The kinds that the grammar of a dialect creates, and all the others."""
    known = Dialect.get_or_raise(dialect).parser_class.CREATABLES
    named = {kind.name.replace("_", " ") for kind in known} - COMPOSED
    return sorted(named | set(OTHERS.replace("\n", "|").split("|")))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_query_is_never_passed_over(dialect: str) -> None:
    silent = []
    for kind in kinds_of(dialect):
        text = f"CREATE {kind} x AS SELECT a FROM t"
        found = extract(Corpus(dialect, [Script(text, dialect, "a.sql")]))
        if not found.edges and not found.diagnostics:
            silent.append(kind)
    assert silent == []
