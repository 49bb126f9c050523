"""Text that kills, fools or starves a parser: it costs one statement its result, and never the
others theirs.
"""

import time

import pytest

from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script


def read(sql, dialect="spark"):
    return extract(Corpus(dialect, [Script(sql, dialect, "f.sql", target="r")]))


def codes(extraction):
    return [
        diagnostic.code.code for diagnostic in extraction.diagnostics if diagnostic.severity > 0
    ]


N = 10_000
TOO_DEEP = {
    "parentheses": "SELECT " + "(" * N + "a" + ")" * N + " FROM t",
    "derived tables": "SELECT a FROM " + "(SELECT a FROM " * N + "t" + ") AS x" * N,
    "calls": "SELECT " + "f(" * N + "a" + ")" * N + " FROM t",
    "cases": "SELECT " + "CASE WHEN a THEN b ELSE " * N + "c" + " END" * N + " FROM t",
    "subqueries": "SELECT a FROM t WHERE " + "a IN (SELECT a FROM t WHERE " * N + "b" + ")" * N,
    "nots": "SELECT " + "NOT " * N + "a FROM t",
    "arrays": "SELECT " + "[" * N + "a" + "]" * N + " FROM t",
    "types": "SELECT CAST(a AS " + "ARRAY<" * 500 + "INT" + ">" * 500 + ") FROM t",
    "words": "SELECT a FROM t CONNECT BY " + "PRIOR " * N + "a",
    "unclosed": "SELECT " + "(" * N,
}


@pytest.mark.parametrize("name", TOO_DEEP)
def test_deep_nesting_is_a_diagnostic(name):
    extraction = read(f"SELECT a FROM t; {TOO_DEEP[name]}; SELECT b FROM t")
    assert codes(extraction) == ["too-deep"]
    assert [str(edge) for edge in extraction.edges] == [
        "t.a -> r.a  IDENTITY",
        "t.b -> r_2.b  IDENTITY",
    ]
    assert str(extraction.diagnostics[0].place) == "f.sql:1:18"


LONG = {
    "terms": "SELECT a" + " + a" * N + " AS x FROM t",
    "casts without a name": "SELECT a" + "::int" * N + " FROM t",
    "ands": "SELECT a AS x FROM t WHERE a" + " AND a" * N,
    "unions": "SELECT a AS x FROM t" + " UNION ALL SELECT a FROM t" * 2_000,
}


@pytest.mark.parametrize("name", LONG)
def test_long_statements_are_read(name):
    assert codes(read(LONG[name])) == []


NESTED = {
    "coalesce": "SELECT " + "COALESCE(" * 200 + "a" + ", b)" * 200 + " AS x FROM t",
    "nullif": "SELECT " + "NULLIF(" * 200 + "a" + ", b)" * 200 + " AS x FROM t",
    "scalar subqueries without a name": "SELECT " + "(SELECT " * 200 + "a" + ")" * 200 + " FROM t",
    "derived tables": "SELECT a FROM " + "(SELECT a FROM " * 400 + "t" + ") AS x" * 400,
}


@pytest.mark.parametrize("name", NESTED)
def test_nesting_costs_no_more_than_its_length(name):
    before = time.process_time()
    assert codes(read(NESTED[name])) == []
    assert time.process_time() - before < 2


def test_a_quote_that_is_never_closed_costs_one_statement():
    extraction = read("SELECT a FROM t;\n SELECT 'x FROM t;\nSELECT /* ; */ b FROM t")
    assert codes(extraction) == ["parse-error"]
    assert str(extraction.diagnostics[0].place) == "f.sql:2:2"
    assert [str(edge) for edge in extraction.edges] == [
        "t.a -> r.a  IDENTITY",
        "t.b -> r_2.b  IDENTITY",
    ]
    assert extraction.coverage.statements.found == 3
    places = [str(usage.place) for edge in extraction.edges for usage in edge.usages]
    assert places == ["f.sql:1:8", "f.sql:3:16"]
    assert extraction.edges[1].usages[0].expression == "b"


@pytest.mark.parametrize(
    "statement",
    [
        "EXPLODE t", "SELECT FROM WHERE", "SELECT (a FROM t", "MERGE INTO t USING u", "\x00", "SELECT a FROM t WHERE",
        "CREATE TABLE", "INSERT INTO", "{% if x %} SELECT a FROM t", "SELECT {{ a }} FROM t",
    ],
)  # fmt: skip
def test_a_bad_statement_is_reported_at_its_place(statement):
    extraction = read(f"SELECT a FROM t;\n{statement};\nSELECT b FROM t")
    assert len(codes(extraction)) >= 1
    assert all(
        diagnostic.place.line == 2
        for diagnostic in extraction.diagnostics
        if diagnostic.severity > 0
    )
    assert "t.b" in {str(edge.source) for edge in extraction.edges}
    assert not any("<" in diagnostic.message for diagnostic in extraction.diagnostics)


@pytest.mark.parametrize(
    "nothing", ["", ";", " ;;\n; ", "-- only a comment", "/* only a comment */", "\ufeff"]
)
def test_nothing_is_read_as_nothing(nothing):
    extraction = read(nothing)
    assert extraction.edges == [] and extraction.diagnostics == []


def test_a_byte_order_mark_is_not_a_word():
    assert [str(edge) for edge in read("\ufeffSELECT a FROM t").edges] == ["t.a -> r.a  IDENTITY"]


def test_go_ends_a_batch():
    extraction = read("SELECT a FROM t\nGO\nSELECT b AS go FROM t\nGO\n", "tsql")
    assert [str(edge) for edge in extraction.edges] == [
        "t.a -> r.a  IDENTITY",
        "t.b -> r_2.go  IDENTITY",
    ]
    assert codes(extraction) == []


def test_a_hundred_kilobyte_name_is_a_name():
    long = "x" * 100_000
    assert read(f"SELECT {long} FROM t").edges[0].source.name == long


def test_a_wrong_dialect_is_a_diagnostic():
    extraction = read("SELECT [a] FROM [t]; SELECT b FROM t", "mysql")
    assert codes(extraction)
    assert "t.b" in {str(edge.source) for edge in extraction.edges}


SHAPES = {
    "positions without a table": ("snowflake", "SELECT t.$23:a.b, GET_PATH(t.$17, 'x')"),
    "no schema between the dots": ("tsql", "SELECT x FROM a..b"),
    "a path in one pair of quotes": ("bigquery", "SELECT `p.d.t`.`c`.`f` FROM `p.d.t`"),
    "rows from several functions": ("postgres", "SELECT * FROM ROWS FROM (f(1), g(2)) AS t(a, b)"),
    "constraints of all kinds": (
        "mysql",
        "CREATE TABLE t (a INT UNSIGNED ZEROFILL COMMENT 'x'); SELECT a FROM t",
    ),
    "options of a column": (
        "bigquery",
        "CREATE TABLE t (a STRING OPTIONS (description='x')); SELECT a FROM t",
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_no_shape_of_tree_is_a_slip(name):
    dialect, sql = SHAPES[name]
    extraction = read(sql, dialect)
    assert not any(
        "cannot be traced" in diagnostic.message for diagnostic in extraction.diagnostics
    )
