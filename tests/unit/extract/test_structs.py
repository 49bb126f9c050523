"""Declared types: the fields that a path leads to, and types that no engine would take."""

from __future__ import annotations

import pytest

from lineal.extract.sql.structs import DEEPEST_TYPE, fields_at


@pytest.mark.parametrize(
    ("dialect", "text", "path", "fields"),
    [
        ("spark", "struct<a:int,b:struct<c:int>>", (), ["a", "b"]),
        ("spark", "struct<a:int,b:struct<c:int>>", ("B",), ["c"]),
        ("spark", "array<array<struct<a:int>>>", (), ["a"]),
        ("spark", "map<string,struct<f:int>>", ("any key",), ["f"]),
        ("bigquery", "ARRAY<STRUCT<a INT64, b STRING>>", (), ["a", "b"]),
        ("duckdb", "STRUCT(a INT, b VARCHAR)[]", (), ["a", "b"]),
        ("trino", "row(a int, b array(row(c int)))", ("b",), ["c"]),
        ("snowflake", "OBJECT(a INT)", (), ["a"]),
        ("spark", "struct<a:int>", ("missing",), []),
        ("spark", "int", (), []),
        ("spark", "struct<not a type", (), []),
        ("postgres", "numeric(10, 2)", (), []),
    ],
)
def test_fields_of_a_type(dialect: str, text: str, path: tuple[str, ...], fields: list[str]):
    assert list(fields_at(text, path, dialect)) == fields


@pytest.mark.parametrize(
    "text", ["struct<a:" * 20_000, "STRUCT(a INT)" + "[]" * 20_000, "array<" * (DEEPEST_TYPE + 1)]
)
def test_a_type_that_is_too_deep_has_no_fields(text: str):
    assert list(fields_at(text, (), "duckdb")) == []
