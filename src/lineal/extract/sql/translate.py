"""SQL of any dialect in Spark's, and the names that a text mentions even where it does not parse.

statement("select a::int from t", "duckdb")    SELECT CAST(a AS INT) FROM t
type_name("VARCHAR", "duckdb")                 STRING
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

SPOKEN = frozenset({"", "spark", "spark2", "databricks"})
"""Dialects that Spark reads as they are."""

WORD = re.compile(r"\w+")


def statement(text: str, dialect: str) -> str:
    """The text in Spark's SQL; as it is if Spark reads it, or if nobody can: then Spark says why."""
    if dialect.lower() in SPOKEN:
        return text

    import sqlglot

    try:
        return ";\n".join(sqlglot.transpile(text, read=dialect, write="spark", pretty=True))
    except (sqlglot.errors.SqlglotError, RecursionError):
        return text


def type_name(text: str, dialect: str) -> str:
    """VARCHAR is STRING, INTEGER is INT; a text that does not parse as a type stays as it is."""
    import sqlglot

    try:
        return sqlglot.exp.DataType.build(text, dialect=dialect or "spark").sql("spark")
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
        return text


def callees_in(text: str, dialect: str) -> set[str]:
    """safe_divide(a, b) calls safe_divide: every name in front of a parenthesis, folded."""
    words = list(_words(text, dialect))
    return {word.lower() for word, following in pairwise(words) if following == "("}


def words_of_text(text: str, dialect: str) -> set[str]:
    """Every word of a text, and every dotted name, folded."""
    words = [word.lower() for word in _words(text, dialect)]
    dotted = (
        f"{left}.{right}"
        for left, dot, right in zip(words, words[1:], words[2:], strict=False)
        if dot == "."
    )
    return {*words, *dotted}


def _words(text: str, dialect: str) -> Iterator[str]:
    """The tokens without comments; the bare words of a text that is not even made of tokens."""
    import sqlglot

    try:
        tokens = sqlglot.tokenize(text, read=dialect or "spark")
    except (sqlglot.errors.SqlglotError, RecursionError):
        yield from WORD.findall(text)
        return

    yield from (token.text for token in tokens if token.token_type.name != "STRING")
