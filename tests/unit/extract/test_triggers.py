"""A trigger, its function and its table may be in different files, in any order."""

from __future__ import annotations

from itertools import permutations

import pytest

import lineal
from lineal.model.diagnostic import Severity

TABLES = "CREATE TABLE t (a int, b text); CREATE TABLE p (x int, y text);"
FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$;
"""
TRIGGER = (
    "CREATE TRIGGER {trigger} BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION {name}();"
)
INSERT = "INSERT INTO p VALUES (NEW.*);"
ROUTED = ["t.a -> p.x  IDENTITY", "t.b -> p.y  IDENTITY"]


def function(body: str = INSERT, name: str = "f") -> str:
    return FUNCTION.format(name=name, body=body)


def trigger(table: str = "t", name: str = "f", trigger: str = "g") -> str:
    return TRIGGER.format(table=table, name=name, trigger=trigger)


def facts(*scripts: str) -> tuple[list[str], list[str]]:
    """The edges of several files, and the codes of warnings and errors."""
    found = lineal.lineage(list(scripts), dialect="postgres")
    codes = [each.code.code for each in found.diagnostics if each.severity > Severity.INFO]
    return sorted(str(edge) for edge in found.edges), codes


@pytest.mark.parametrize("scripts", list(permutations((TABLES, function(), trigger()))))
def test_files_come_in_any_order(scripts: tuple[str, ...]) -> None:
    assert facts(*scripts) == (ROUTED, [])
    assert facts("\n".join(scripts)) == (ROUTED, [])


def test_a_schema_counts_where_both_name_one() -> None:
    assert facts(TABLES, function(name="public.f"), trigger()) == (ROUTED, [])
    assert facts(TABLES, function(), trigger(name="public.f")) == (ROUTED, [])
    assert facts(TABLES, function(name="other.f"), trigger(name="public.f")) == (
        [],
        ["unknown-trigger"],
    )


def test_the_function_of_the_same_file_is_meant() -> None:
    other = "CREATE TABLE u (c int, d text); CREATE TABLE q (m int, n text);"
    second = function("INSERT INTO q VALUES (NEW.*);") + trigger("u")
    edges = [*ROUTED, "u.c -> q.m  IDENTITY", "u.d -> q.n  IDENTITY"]
    assert facts(TABLES + function() + trigger(), other + second) == (edges, [])


def test_a_function_without_a_trigger_is_reported_once() -> None:
    several = "INSERT INTO p VALUES (NEW.*); INSERT INTO p SELECT NEW.*; INSERT INTO p (x) VALUES (OLD.a);"
    found = lineal.lineage(TABLES + function(several), dialect="postgres")
    (told,) = (each for each in found.diagnostics if each.severity > Severity.INFO)
    assert str(told) == (
        "<input>:2:1: warning[unknown-trigger]: "
        "no trigger executes 'f': the table of NEW and OLD is not known"
    )
    assert found.edges == []
    assert found.coverage.columns.unresolved == 3


def test_a_function_that_uses_no_row_needs_no_trigger() -> None:
    assert facts(TABLES, function("INSERT INTO p SELECT a, b FROM t; NEW.a := 1;")) == (ROUTED, [])


def test_a_field_that_was_set_is_known_without_a_trigger() -> None:
    body = "NEW.a := (SELECT max(a) FROM t); INSERT INTO p VALUES (NEW.a, NEW.b);"
    assert facts(TABLES, function(body)) == (["t.a -> p.x  AGGREGATION"], ["unknown-trigger"])


def test_a_table_that_is_tested_and_has_no_trigger() -> None:
    body = "IF TG_TABLE_NAME = 'elsewhere' THEN INSERT INTO p VALUES (NEW.*); END IF;"
    assert facts(TABLES, function(body), trigger()) == ([], ["unknown-trigger"])


@pytest.mark.parametrize(
    ("condition", "tables"),
    [
        ("TG_TABLE_NAME = 't'", ["t"]),
        ("(tg_relname = 't')", ["t"]),
        ("'t' = TG_TABLE_NAME AND TG_OP = 'INSERT'", ["t"]),
        ("TG_TABLE_NAME IN ('t', 'v')", ["t"]),
        ("TG_TABLE_NAME IN ('t', 'u')", ["t", "u"]),
        ("TG_TABLE_NAME = 't' OR NEW.a > 1", ["t", "u"]),
        ("NOT TG_TABLE_NAME = 't'", ["t", "u"]),
        ("TG_TABLE_NAME <> 't'", ["t", "u"]),
        ("TG_TABLE_NAME = lower('T')", ["t", "u"]),
    ],
)
def test_tests_of_the_table(condition: str, tables: list[str]) -> None:
    body = f"IF {condition} THEN INSERT INTO p VALUES (NEW.*); END IF;"
    scripts = (
        TABLES,
        "CREATE TABLE u (a int, b text);",
        function(body),
        trigger(),
        trigger("u", trigger="h"),
    )
    edges = [
        f"{table}.{source} -> p.{target}  IDENTITY"
        for table in tables
        for source, target in ("ax", "by")
    ]
    assert facts(*scripts) == (edges, [])
