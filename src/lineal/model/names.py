"""Names: the only place that folds case."""

from __future__ import annotations

from collections.abc import Callable

Fold = Callable[[str, bool | None], str]
"""(spelling, quoted) → key. Two identifiers are the same name exactly when their keys are equal."""


def insensitive(text: str, quoted: bool | None) -> str:
    """Spark, DuckDB, T-SQL: `Id`, `ID` and "id" are one name."""
    return text.lower()


def lowercase(text: str, quoted: bool | None) -> str:
    """PostgreSQL: Id folds to id, "Id" stays as it is."""
    return text if quoted else text.lower()


def uppercase(text: str, quoted: bool | None) -> str:
    """Snowflake, Oracle: id folds to ID, which is the same name as "ID" and another one than "id".

    Keys use lower case for the dialect's own case, so that they can be compared across dialects.
    """
    return text.swapcase() if quoted else text.lower()


def sensitive(text: str, quoted: bool | None) -> str:
    """BigQuery's tables, ClickHouse: every letter counts."""
    return text


def exact_name(name: str) -> str:
    """Write a column whose name differs from its unquoted form: "Id" """
    return f'"{name}"'


def is_exact(name: str) -> bool:
    """Tell whether a name is in quotes."""
    return len(name) > 2 and name[0] == name[-1] == '"'


def plain_name(name: str) -> str:
    """The name without its quotes."""
    return name[1:-1] if is_exact(name) else name


def column_key(name: str, fold: Fold) -> str:
    """The key of a column by the name of an edge or read."""
    return fold(name[1:-1], True) if is_exact(name) else fold(name, False)


def is_same_name(left: str, right: str) -> bool:
    """Tell whether a column kept its name: `id AS ID` does not rename it."""
    return left == right or left.lower() == right.lower()


def closest(name: str, candidates: list[str]) -> str | None:
    """The candidate that the user may have meant, for "did you mean"."""
    from difflib import get_close_matches

    folded = {candidate.lower(): candidate for candidate in candidates}
    found = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


FOLDS: dict[str, Fold] = {
    "LOWERCASE": lowercase,
    "UPPERCASE": uppercase,
    "CASE_SENSITIVE": sensitive,
    "CASE_INSENSITIVE": insensitive,
    "CASE_INSENSITIVE_UPPERCASE": insensitive,
}
