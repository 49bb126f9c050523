"""Programs together with SQL under `--engine`: the SQL is compared, and each program is named with the way
to compare it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.projects import load
from lineal.spark.plan_lineage import compare_with_spark

JOB = """
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("orders")
orders.groupBy("day").agg(F.sum("amount").alias("total")).write.saveAsTable("daily")
orders.write.mode("append").insertInto("archive")
spark.read.parquet("s3://lake/in.v1").write.parquet("s3://lake/out.v2")
"""
HELPER = "def clean(df):\n    return df.dropDuplicates()\n"
DDL = """
CREATE TABLE orders (id INT, day DATE, amount DOUBLE);
CREATE TABLE archive (id INT, day DATE, amount DOUBLE);
"""
SQL = """
CREATE VIEW best AS SELECT day, total FROM daily WHERE total > 10;
CREATE VIEW small AS SELECT id, upper(CAST(amount AS STRING)) AS price FROM orders WHERE amount < 1;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "my job.py": JOB,
        "helper.py": HELPER,
        "ddl.sql": DDL,
        "views.sql": SQL,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lineage", ".", "--dialect", "spark", *arguments])


def test_both_compares_the_sql_and_names_the_program(folder: Path) -> None:
    done = run("--engine", "both", "--fail-on", "warning")
    assert done.exit_code == 0
    named = [line for line in done.stderr.splitlines() if "not-compared" in line]
    assert named == [
        "my job.py:1:1: info[not-compared]: 3 writes of a program not compared: Spark has its plans only while it runs "
        "(Run `lineal capture 'my job.py' --compare`.)"
    ]
    assert "engines-disagree" not in done.stderr
    assert ["orders", "amount", "daily", "total", "transform"] in [
        line.split()[:5] for line in done.stdout.splitlines()
    ]


def test_a_disagreement_of_the_sql_is_still_found(
    folder: Path, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The argument of upper() is not read from Spark's plan, so that only the text has it."""
    from lineal.extract.catalyst import expressions

    monkeypatch.setitem(expressions.EXPRESSIONS, "Upper", lambda *_: None)
    found = compare_with_spark(load(".", "spark"), spark)
    said = [each.message for each in found.diagnostics if each.code.code == "engines-disagree"]
    assert said == ["orders.amount -> small.price  TRANSFORMATION  (only in static)"]


def test_catalyst_leaves_programs_out_and_counts_them(folder: Path) -> None:
    done = run("--engine", "catalyst")
    assert done.exit_code == 0
    assert "lineal capture 'my job.py' --compare" in done.stderr
    assert done.stderr.splitlines()[-1].startswith(
        "coverage 40 %: 4 files, 2 of 5 statements evaluated (3 engine-refused)"
    )
    assert "archive" not in done.stdout


def test_a_model_and_a_notebook_are_compared_in_their_own_way() -> None:
    from lineal.spark.plan_lineage import how_to_compare

    assert "lineal run" in how_to_compare("models/features.py", True)
    assert "Export the notebook as a script" in how_to_compare("daily.ipynb", False)


def test_lineage_that_is_given_is_kept_and_counted(folder: Path) -> None:
    assert run("--save", "before.lineal.json").exit_code == 0
    for engine in ("both", "catalyst"):
        done = CliRunner().invoke(main, ["lineage", "before.lineal.json", "--engine", engine])
        assert done.exit_code == 0
        assert (
            "13 edges of a given lineage not compared: its statements are not here" in done.stderr
        )
        assert ["daily", "total", "best", "total", "copy"] in [
            line.split()[:5] for line in done.stdout.splitlines()
        ]
