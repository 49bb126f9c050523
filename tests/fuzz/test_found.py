"""What mutants have found, as small as it was: each text is read without harm now."""

from __future__ import annotations

from pathlib import Path

import pytest

import lineal
from fuzz.mutants import Mutant
from fuzz.seeds import DATAFORM, SQLMESH, Seed
from fuzz.verdicts import Bench

FOUND = [
    ("sql", "redshift", "ALTER TABLE sales APPEND FROM staged IGNOREEXTRA FILLTARGET"),
    ("sql", "", "SELECT t.$2 AS second, $1 AS first FROM t"),
    (
        "sql",
        "oracle",
        "CREATE FUNCTION linear AS (x) -> x;\nMERGE INTO s USING o ON (s.id = o.id) DELETE",
    ),
    ("sql", "mysql", "SELECT ELT() AS a, ISNULL() AS b, CHOOSE() AS c FROM t"),
    ("sql", "tsql", "SELECT DATEPART(a) FROM t"),
    ("sql", "redshift", "UNLOAD ('{query.replace()}') TO 's3://lake/orders'"),
    ("sql", "mysql", "RENAME TABLE a( TO b"),
    ("notebook", "python", '{"cells": [{"cell_type": "code", "source": [["x"], null]}]}'),
    ("notebook", "python", "not a notebook"),
    ("pyspark", "python", "df = spark.sql('SELECT a AS @x FROM t')\ndf.write.saveAsTable('made')"),
    ("pyspark", "python", "spark.sql(\"COPY mart FROM 's3://lake/orders'\")"),
    ("pyspark", "python", "spark.sql('SELECT {}} FROM')"),
    ("pyspark", "python", "spark.table('a'"),
    (
        "pyspark",
        "python",
        "df = spark.table('t').withColumn('x', F.lit(None) + F.lit(None))\ndf.write.saveAsTable('u')",
    ),
    ("sql", "spark", "\nFROM a\nJOIN b ON"),
    ("sql", "spark", "TABLE$$i"),
    ("sql", "hive", "INSERT INTO t TABLE$$i"),
    ("sql", "", "FROM t\nINSERT ALL INTO(d)(d)T"),
    ("sql", "oracle", "SELECT a FROM TABLE(:c)"),
    ("sql", "mysql", "''PREPARE''"),
    ("sql", "postgres", "''/*/**/''*/SELECT a FROM t"),
    ("sql", "", "CREATE TABLE ft(a OPTIONS'''');CREATE TABLE ft()"),
    ("sql", "tsql", "{}{}{}{}CREATE TABLE {}"),
    ("draft", "postgres", "$$$$$$$$"),
    ("event", "", "\0"),
    ("log-jsonl", "", "\udcff"),
    (
        "log-jsonl",
        "",
        '{"query_text": "SELECT a FROM t", "database_name": "\\ud800", "user_name": "\\ud800"}',
    ),
    ("draft", "postgres", "INSERT t(1)VALUE()"),
    ("draft", "tsql", "FROM c"),
    (
        "draft",
        "databricks",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    ),
    ("draft", "spark", "MERGE s G s WHEN UPDATE*WHEN INSERT"),
    ("draft", "snowflake", "SELECT s.$1FROM@raw.files/orders(FILE_FORMAT=>''s"),
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("found") / "bench")


@pytest.mark.parametrize(("format", "dialect", "text"), FOUND, ids=range(len(FOUND)))
def test_a_text_that_once_failed_is_read(
    format: str, dialect: str, text: str, bench: Bench
) -> None:
    imports = "from pyspark.sql import SparkSession, functions as F\nspark = SparkSession.builder.getOrCreate()\n"
    whole = imports + text if format == "pyspark" else text
    before = "SELECT a FROM t\n" if format == "draft" else whole
    assert bench.judge(Mutant(format, Seed("found", before), whole, dialect)) is None


def test_half_a_character_in_a_text_without_a_file() -> None:
    found = lineal.lineage("SELECT a FROM t WHERE x = '\ud800'")
    assert [str(edge.source) for edge in found.edges] == ["t.a", "t.x"]
    assert not found.diagnostics


def test_a_damaged_notebook_is_reported(bench: Bench, tmp_path: Path) -> None:
    mutant = Mutant("notebook", Seed("found", ""), "{}", "python")
    found = bench.stage(mutant)()
    assert [each.code.code for each in found.diagnostics] == ["parse-error"]
    assert found.coverage.percent < 100


def test_a_block_that_is_never_closed(bench: Bench) -> None:
    seed = Seed("definitions/shops.sqlx", "config{", "", DATAFORM)
    assert bench.judge(Mutant("dataform", seed, seed.text)) is None


def test_an_argument_with_a_bracket_that_nothing_closes(bench: Bench) -> None:
    seed = Seed("models/mutant.sql", "SELECT a FROM t WHERE @EACH([}'])", "", SQLMESH)
    assert bench.judge(Mutant("sqlmesh", seed, seed.text)) is None


def test_a_model_without_a_name_among_the_audits(bench: Bench) -> None:
    seed = Seed("audits/no_free_orders.sql", "MODEL(", "", SQLMESH)
    assert bench.judge(Mutant("sqlmesh", seed, seed.text)) is None
