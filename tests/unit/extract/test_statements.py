"""Statements with their digests: what counts as the same statement, and what does not."""

from __future__ import annotations

import pickle

import pytest

from lineal.incremental.extraction import extract
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.script import Corpus, Script
from lineal.model.statement import Statement

SCHEMA = [
    DatasetInfo(
        Dataset("", "t"), "table", [ColumnInfo(name) for name in ("id", "a", "b")], complete=True
    ),
    DatasetInfo(
        Dataset("", "u"), "table", [ColumnInfo(name) for name in ("id", "c")], complete=True
    ),
]

SAME = [
    ("SELECT a FROM t", "select  A\n-- the a\nFROM t;"),
    ("SELECT x.a FROM t AS x", "SELECT a FROM t"),
    ("SELECT x.a, y.c FROM t x JOIN u y ON x.id = y.id", "SELECT a, c FROM t INNER JOIN u ON (u.id = t.id)"),
    ("SELECT x.a FROM t x JOIN u USING (id)", "SELECT t.a FROM t JOIN u ON t.id = u.id"),
    ("SELECT a FROM t x LEFT JOIN u y ON x.id = y.id", "SELECT a FROM u RIGHT JOIN t ON t.id = u.id"),
    ("WITH w AS (SELECT a FROM t) SELECT a FROM w", "SELECT a FROM (SELECT a FROM t) AS d"),
    ("WITH w AS (SELECT a FROM t), dead AS (SELECT 1) SELECT * FROM w", "SELECT a FROM t"),
    ("SELECT * FROM t", "SELECT id, a, b FROM t"),
    ("SELECT a FROM t WHERE a > 1 AND b < 2", "SELECT a FROM t WHERE (b < 2) AND (1 < a) AND 1 = 1"),
    ("SELECT a FROM t UNION ALL SELECT c FROM u", "SELECT c AS a FROM u UNION ALL SELECT a FROM t"),
    ("SELECT a, (SELECT max(c) FROM u WHERE u.id = t.id) AS m FROM t",
     "SELECT x.a, (SELECT max(y.c) FROM u y WHERE x.id = y.id) m FROM t x"),
    ("SELECT a::INT AS n FROM t", "SELECT CAST(a AS INT) AS n FROM t"),
    ("SELECT x.a, u.v FROM t x CROSS JOIN UNNEST(x.b) AS u(v)",
     "SELECT y.a, w.v FROM t y CROSS JOIN UNNEST(y.b) AS w(v)"),
    ("SELECT a FROM t WHERE a != 1", "SELECT a FROM t WHERE a <> 1"),
]  # fmt: skip

DIFFERENT = [
    ("SELECT a FROM t WHERE a = 1", "SELECT a FROM t WHERE a = 2"),
    ("SELECT a + 1 AS x FROM t", "SELECT a + 2 AS x FROM t"),
    ("SELECT a AS x, b AS y FROM t", "SELECT b AS y, a AS x FROM t"),
    ("SELECT a - b AS x FROM t", "SELECT b - a AS x FROM t"),
    ("SELECT p.a - q.a AS d FROM t p JOIN t q ON p.id = q.b", "SELECT q.a - p.a AS d FROM t p JOIN t q ON p.id = q.b"),
    ("SELECT a FROM t LEFT JOIN u ON t.id = u.id", "SELECT a FROM t JOIN u ON t.id = u.id"),
    ("SELECT a FROM t UNION SELECT c FROM u", "SELECT a FROM t UNION ALL SELECT c FROM u"),
    ("SELECT a FROM t EXCEPT SELECT c FROM u", "SELECT c AS a FROM u EXCEPT SELECT a FROM t"),
    ("SELECT 'A' AS x FROM t", "SELECT 'a' AS x FROM t"),
    ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"),
    ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2"),
    ("SELECT DISTINCT a FROM t", "SELECT a FROM t"),
    ("SELECT b AS a FROM t ORDER BY a", "SELECT b AS a FROM t ORDER BY t.a"),
    ("SELECT a FROM t WHERE a = 1 OR b = 1 AND id = 1", "SELECT a FROM t WHERE (a = 1 OR b = 1) AND id = 1"),
    ("WITH w AS (SELECT random() AS r FROM t) SELECT w.r FROM w",
     "WITH w AS (SELECT random() AS r FROM t) SELECT x.r FROM w x JOIN w y ON x.r = y.r"),
    ("SELECT v FROM t x CROSS JOIN UNNEST(x.b) AS u(v)", "SELECT v FROM t x CROSS JOIN UNNEST(x.a) AS u(v)"),
    ("SELECT a FROM t TABLESAMPLE (10 PERCENT)", "SELECT a FROM t TABLESAMPLE (20 PERCENT)"),
]  # fmt: skip


def statements(*texts: str, dialect: str = "duckdb") -> list[Statement]:
    return extraction(*texts, dialect=dialect).statements


def extraction(*texts: str, dialect: str = "duckdb") -> Extraction:
    scripts = [Script(text, dialect, f"m{number}.sql") for number, text in enumerate(texts)]
    return extract(Corpus(dialect, scripts, SCHEMA))


def meaning(text: str) -> str:
    [found] = statements(text)
    return found.meaning


@pytest.mark.parametrize(("left", "right"), SAME)
def test_another_way_to_write_it_means_the_same(left: str, right: str) -> None:
    assert meaning(left) == meaning(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_a_different_meaning_is_reported(left: str, right: str) -> None:
    assert meaning(left) != meaning(right)


def test_a_statement_knows_its_target_place_and_kind() -> None:
    found = statements(
        "CREATE TABLE x AS SELECT a FROM t;\n\nINSERT INTO y SELECT c FROM u",
        "WITH w AS (SELECT 1) SELECT * FROM w",
    )
    said = [(str(each.target), each.kind, str(each.place), each.dialect) for each in found]
    assert said == [
        ("x", "create", "m0.sql:1:1", "duckdb"),
        ("y", "insert", "m0.sql:3:1", "duckdb"),
        ("m1", "select", "m1.sql:1:1", "duckdb"),
    ]


def test_where_order_matters_the_whole_script_counts() -> None:
    script = (
        "CREATE TEMP TABLE x AS SELECT a, b FROM t WHERE a = {};\nCREATE TABLE y AS SELECT a FROM x"
    )
    before, after = (statements(script.format(number)) for number in (1, 2))
    assert [str(each.target) for each in before] == ["y"]
    assert before[0].meaning != after[0].meaning


def test_a_function_counts_as_a_statement() -> None:
    text = "CREATE FUNCTION twice(x INT) RETURNS INT AS $$ SELECT x * {} $$ LANGUAGE sql;"
    before, after = (statements(text.format(number), dialect="postgres") for number in (2, 3))
    assert [(str(each.target), each.kind) for each in before] == [("twice", "function")]
    assert before[0].meaning != after[0].meaning


def test_a_program_counts_without_its_layout() -> None:
    text = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n{}\n"
    texts = [
        text.format('spark.table("t").select("a").write.saveAsTable("x")'),
        text.format('# as it is\nspark.table( "t" ).select("a").write.saveAsTable("x")'),
        text.format('spark.table("t").select("b").write.saveAsTable("x")'),
    ]
    one, two, three = (
        extract(Corpus("spark", [Script(each, "python", "job.py")])).statements[0] for each in texts
    )
    assert (one.kind, str(one.target)) == ("python", "x")
    assert one.words == two.words != three.words


def test_statements_travel_with_their_meaning_worked_out() -> None:
    found = extraction("SELECT a FROM t")
    again = pickle.loads(pickle.dumps(found))
    assert again.statements == found.statements
    assert type(again.statements[0]) is Statement


def test_a_saved_lineage_keeps_its_statements() -> None:
    from lineal.store.saved import read_text, write_text

    found = extraction("SELECT a FROM t", "CREATE VIEW w AS SELECT c FROM u")
    assert read_text(write_text(found)).statements == found.statements


def test_an_unload_without_a_query_is_reported() -> None:
    script = Script("UNLOAD ('REPLACE()') TO 's3://b/x'", "redshift", "a.sql")
    found = extract(Corpus("redshift", [script]))
    assert [each.code.code for each in found.diagnostics] == ["unsupported-statement"]
    assert found.edges == []
