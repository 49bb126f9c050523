"""Procedural code that is broken, hostile or very long."""

from __future__ import annotations

import time

import pytest

from lineal.incremental.extraction import extract
from lineal.model.diagnostic import Code
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script


def read(text: str, dialect: str) -> Extraction:
    return extract(Corpus(dialect, [Script(text, dialect, "f.sql", target="r")]))


def edges(extraction: Extraction) -> set[str]:
    return {str(edge) for edge in extraction.edges}


def test_a_call_of_an_unknown_procedure_is_a_note():
    extraction = read("SELECT a FROM t;\nCALL load_all(1);", "snowflake")
    assert [(d.code, str(d.place)) for d in extraction.diagnostics] == [
        (Code.UNKNOWN_PROCEDURE, "f.sql:2:6")
    ]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (
            "BEGIN\n  DBMS_OUTPUT.PUT_LINE('done');\n  sys.dbms_stats.gather_table_stats('a', 'b');\nEND;",
            "oracle",
        ),
        ("EXEC sys.sp_addextendedproperty @name = 'a', @value = 'b';", "tsql"),
    ],
)
def test_a_procedure_of_the_engine_that_writes_no_table_gives_no_note(text, dialect):
    assert read(text, dialect).diagnostics == []


def test_places_inside_a_body_are_those_of_the_file():
    text = "CREATE FUNCTION f() RETURNS void AS $$\nBEGIN\n  INSERT INTO t (v)\n  SELECT x FROM s; END $$"
    (usage,) = (usage for edge in read(text, "postgres").edges for usage in edge.usages)
    assert (str(usage.place), usage.expression) == ("f.sql:4:10", "x")


def test_reads_of_a_function_belong_to_its_callers():
    body = Script(
        "CREATE FUNCTION f(p INT) RETURNS INT RETURN p +\n\n\n (SELECT max(x) FROM s)",
        "databricks",
        "a.sql",
    )
    call = Script("SELECT\n f(a) AS q FROM t", "databricks", "b.sql", target="r")
    reads = {
        (str(read.dataset), read.column): str(read.place)
        for read in extract(Corpus("databricks", [body, call])).reads
    }
    assert reads["s", "x"] == reads["s", None] == "b.sql:2:2"


def test_a_broken_statement_costs_only_itself():
    first, second = "INSERT INTO t (v) SELECT x FROM s;", "INSERT INTO u (v) SELECT y FROM s;"
    text = f"DO $$\nBEGIN\n  {first}\n  INSERT INTO INTO;\n  {second}\nEND $$"
    extraction = read(text, "postgres")
    assert edges(extraction) == {"s.x -> t.v  IDENTITY", "s.y -> u.v  IDENTITY"}
    assert [(d.code, d.place.line) for d in extraction.diagnostics] == [(Code.PARSE_ERROR, 4)]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("tsql", "CREATE PROC p AS BEGIN INSERT INTO t (v) SELECT x FROM s"),
        ("tsql", "PRINT 1 END END INSERT INTO t (v) SELECT x FROM s END"),
        ("tsql", "IF 1 = 1 SELECT 1 ELSE ELSE INSERT INTO t (v) SELECT x FROM s ELSE"),
        ("postgres", "DO $$ BEGIN IF a THEN INSERT INTO t (v) SELECT x FROM s; END $$"),
        ("postgres", "END; END LOOP; INSERT INTO t (v) SELECT x FROM s; END IF;"),
        ("bigquery", "BEGIN INSERT INTO t (v) SELECT x FROM s; END; END; END;"),
        ("snowflake", "BEGIN LOOP INSERT INTO t (v) SELECT x FROM s;"),
        ("oracle", "BEGIN INSERT INTO t (v) SELECT x FROM s; EXCEPTION WHEN THEN END;"),
        ("mysql", "CREATE PROCEDURE p() BEGIN INSERT INTO t (v) SELECT x FROM s; END WHILE; END"),
    ],
)
def test_unbalanced_blocks_still_give_what_they_hold(dialect, text):
    assert "s.x -> t.v  IDENTITY" in edges(read(text, dialect))


HALVES = [
    "BEGIN",
    "DECLARE",
    "IF",
    "CREATE FUNCTION",
    "CREATE PROCEDURE p",
    "DO",
    "DO $$ $$",
    "EXECUTE",
    "CREATE FUNCTION f( AS $$ BEGIN",
    "CALL",
    "FOR x IN",
    "SET @",
    "CREATE TRIGGER",
    "EXEC",
    "BEGIN FETCH END",
    "BEGIN LET END",
    "BEGIN RETURN END",
    "BEGIN x := END",
    "BEGIN OPEN END; EXECUTE IMMEDIATE",
    "CREATE MACRO f AS",
    "DECLARE @t TABLE",
    "BEGIN FOR IN LOOP END",
    "CREATE PACKAGE BODY",
    "WHILE",
    "BEGIN SELECT INTO; END",
]


@pytest.mark.parametrize("text", HALVES)
@pytest.mark.parametrize(
    "dialect",
    ["tsql", "postgres", "snowflake", "bigquery", "oracle", "mysql", "databricks", "duckdb", ""],
)
def test_half_a_statement_does_not_crash(dialect, text):
    extraction = read(f"SELECT a FROM t;\n{text}", dialect)
    assert not any("Please report" in d.hint for d in extraction.diagnostics)
    read(f"{text}; SELECT a FROM t", dialect)


def nested(depth: int) -> str:
    return "BEGIN " * depth + "INSERT INTO t (v) SELECT x FROM s; " + "END; " * depth


@pytest.mark.parametrize("dialect", ["tsql", "snowflake", "bigquery"])
def test_a_thousand_blocks_in_each_other(dialect):
    assert edges(read(nested(1_000), dialect)) == {"s.x -> t.v  IDENTITY"}


def long_procedure(statements: int) -> str:
    lines = [
        f"SET @v = @v + {n}\nINSERT INTO t (v) SELECT x + @v FROM s WHERE y > @v"
        for n in range(statements // 2)
    ]
    return (
        "CREATE PROC p AS BEGIN\nDECLARE @v INT = (SELECT MAX(z) FROM s)\n"
        + "\n".join(lines)
        + "\nEND"
    )


def test_long_procedures_take_time_in_proportion():
    def seconds(statements: int) -> float:
        text = long_procedure(statements)
        start = time.process_time()
        assert len(edges(read(text, "tsql"))) == 4
        return time.process_time() - start

    seconds(100)
    small = min(seconds(400) for _ in range(2))
    assert seconds(4_000) < 10 * small * 2.5


def test_strings_that_double_are_dynamic_and_not_built():
    text = "DECLARE @s NVARCHAR(MAX) = N'ab'\n" + "SET @s = @s + @s\n" * 200 + "EXEC (@s)"
    assert [d.code for d in read(text, "tsql").diagnostics] == [Code.DYNAMIC]


def test_variables_that_all_depend_on_each_other():
    names = [f"v{n}" for n in range(25)]
    total = " + ".join(names)
    sets = "".join(f"{name} := {total};\n" for name in names)
    text = f"DO $$ DECLARE {' INT; '.join(names)} INT; BEGIN v0 := (SELECT max(x) FROM s); LOOP\n{sets}"
    text += f"INSERT INTO t (v) SELECT {names[-1]};\nEND LOOP; END $$"
    assert edges(read(text, "postgres")) == {"s.x -> t.v  AGGREGATION"}
