"""Repairs change nothing but what they know, and never make a broken statement worse."""

from __future__ import annotations

import pytest

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.repairs import repair_words, tree_of
from lineal.extract.sql.words import FAILURES

WHOLE = "UPDATE stock SET amount = amount + 1 WHERE id = 3"
BROKEN = (
    "UPDATE", "UPDATE TOP", "UPDATE TOP (", "INSERT INTO t WITH (", "INSERT INTO t WITH LABEL", "MERGE", "DELETE",
    "MERGE INTO t USING s ON a = b REMOVE DUPLICATES", "CREATE VIEW", "CREATE VIEW v AS", "UPDATE t FROM SET",
    "UPDATE t SET += 1", "SELECT a (TITLE", "DELETE OUTPUT", "REPLACE", "REPLACE INTO", ")", "IF NOT EXISTS",
    "INSERT OVERWRITE DIRECTORY", "INSERT OVERWRITE DIRECTORY 'a' USING", "INSERT OVERWRITE DIRECTORY USING b OPTIONS(",
    "SELECT * FROM f(TABLE(", "SELECT * FROM f(TABLE(t) PARTITION BY", "BULK", "BULK INSERT", "BULK INSERT t FROM",
    "LOAD DATA INFILE", "LOAD DATA INFILE 'a' INTO TABLE", "LOAD DATA INFILE 'a' INTO TABLE t (", "ALTER VIEW v AS",
    "CREATE TABLE", "CREATE TABLE t", "CREATE TABLE t (", "CREATE TABLE t (a INT ENABLE", "CREATE TABLE t (,) x",
    "SELECT f(a WITH WRAPPER", "WRAPPER", "x MATCH_RECOGNIZE (SUBSET u = (", "INSERT LOG ERRORS", "MERGE t ON WITH (",
    "SELECT ON EMPTY", "a ON ERROR", "JSON_TABLE(a, 'b' AS", "JSON_TABLE(a, 'b' PASSING COLUMNS", "OPTION ()", "t@v",
    "APPLY CHANGES INTO", "APPLY CHANGES INTO t FROM", "APPLY CHANGES INTO t FROM s KEYS",
    "APPLY CHANGES INTO t FROM s KEYS (",
    "WITH XMLNAMESPACES (", "EXPORT TABLE t TO", "IMPORT TABLE t PARTITION", "CREATE TABLE t (CONSTRAINT c EXPECT",
    "SELECT a INTO OUTFILE", "FROM OPENROWSET(BULK", "FROM OPENROWSET(BULK 'a'", "MERGE INTO t WITH (x) USING (",
    "ASSERT",
)  # fmt: skip


def test_a_statement_that_parses_is_left_alone() -> None:
    words = parser_dialect("tsql").tokenize(WHOLE)
    assert repair_words(words, "tsql") == (words, [])


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize("dialect", ["tsql", "mysql", "teradata", ""])
def test_broken_text_is_read_or_refused(text: str, dialect: str) -> None:
    words = parser_dialect(dialect).tokenize(text)
    try:
        tree_of(words, dialect, text)
    except FAILURES as error:
        assert str(error)


def test_words_that_stay_keep_their_places() -> None:
    text = "UPDATE t SET a += b"
    mended, left_over = repair_words(parser_dialect("tsql").tokenize(text), "tsql")
    assert left_over == []
    assert [text[word.start : word.end + 1] for word in mended] == [
        "UPDATE",
        "t",
        "SET",
        "a",
        "=",
        "a",
        "+",
        "b",
    ]


@pytest.mark.parametrize(
    "text",
    ["SELECT a FROM t WHERE (b = )", "SELECT a FROM t WHERE b IN (c + )", "SELECT (a + ) FROM t"],
)
def test_broken_statements_stay_broken(text: str) -> None:
    with pytest.raises(FAILURES):
        tree_of(parser_dialect("postgres").tokenize(text), "postgres", text)
