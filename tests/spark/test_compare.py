"""`lineal capture job.py --compare`: a job is run, and static reading of its program is held against what it wrote."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main
from lineal.model.edge import Dataset
from lineal.spark.live.names import SameNames

HEAD = """
import argparse
import json
import os
import sys
from pyspark.sql import SparkSession, Window, functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet("data/orders")
"""
ORDERS = "id INT, day STRING, customer INT, amount DOUBLE, channel STRING, paid BOOLEAN"

Compare = Callable[..., Result]


@pytest.fixture(scope="module")
def data(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    rows = [(1, "2026-01-01", 10, 5.0, "web", True), (2, "2026-01-02", 11, 7.5, "shop", False)]
    spark.createDataFrame(rows, ORDERS).coalesce(1).write.parquet(str(folder / "data" / "orders"))
    spark.sql("CREATE DATABASE IF NOT EXISTS compared")
    yield folder
    spark.sql("DROP DATABASE compared CASCADE")


@pytest.fixture
def compare(spark: Any, data: Path, monkeypatch: pytest.MonkeyPatch) -> Compare:
    """Runs a program in the session of the tests."""
    monkeypatch.chdir(data)

    def run(program: str, *arguments: str, options: tuple[str, ...] = (), **modules: str) -> Result:
        for name, text in modules.items():
            Path(f"{name}.py").write_text(dedent(text), encoding="utf-8")
        Path("job.py").write_text(HEAD + dedent(program), encoding="utf-8")
        try:
            return CliRunner().invoke(
                main, ["capture", "job.py", "--compare", "--timeout", "60", *options, "--", *arguments]
            )
        finally:
            for name in modules:
                sys.modules.pop(name, None)

    return run


def last(done: Result) -> str:
    return done.stderr.splitlines()[-1]


def agrees(done: Result, left: int = 0) -> None:
    beside = f", {left} column{'s' * (left != 1)} not comparable" if left else ""
    assert re.fullmatch(rf"lineal: \d+ writes?; \d+ edges, static = Catalyst{beside}", last(done)), done.stderr
    assert "engines-disagree" not in done.stderr
    assert done.exit_code == 0


# -- both know it --------------------------------------------------------------------------------------------------


def test_functions_modules_and_arguments(compare: Compare) -> None:
    program = """
        from cleaning import trimmed

        parser = argparse.ArgumentParser()
        parser.add_argument("--columns", nargs="+")
        parser.add_argument("--least", type=float, default=0.0)
        args = parser.parse_args()

        def chosen(df, names):
            return df.where(F.col("amount") >= args.least).select([F.col(name).alias(f"my_{name}") for name in names])

        if __name__ == "__main__":
            chosen(trimmed(orders, "channel"), args.columns).write.mode("overwrite").parquet(f"out/{sys.argv[-1]}")
        """
    cleaning = """
        from pyspark.sql import functions as F

        def trimmed(df, *names):
            for name in names:
                df = df.withColumn(name, F.trim(F.col(name)))
            return df
        """
    done = compare(program, "--columns", "id", "channel", cleaning=cleaning, options=("--fail-on", "info"))
    agrees(done)
    here = Path.cwd()
    assert done.stdout.splitlines() == [
        f"{here}/data/orders.amount => {here}/out/channel  FILTER",
        f"{here}/data/orders.channel -> {here}/out/channel.my_channel  TRANSFORMATION",
        f"{here}/data/orders.id -> {here}/out/channel.my_id  IDENTITY",
    ]


def test_the_columns_are_those_of_the_plan(compare: Compare) -> None:
    """Stars, types and positions: the text alone knows none of them."""
    program = """
        spark.sql("CREATE TABLE compared.kept (a INT, b STRING, c INT, d DOUBLE, e STRING, f BOOLEAN) USING parquet")
        orders.na.fill(0).write.insertInto("compared.kept")
        kept = spark.table("compared.kept")
        orders.join(kept, F.col("id") == F.col("a")).drop("b").write.saveAsTable("compared.wide")
        """
    agrees(compare(program))


def test_a_write_that_a_later_one_replaces_is_not_compared(compare: Compare) -> None:
    program = """
        orders.select("id", "amount").write.saveAsTable("compared.state")
        spark.table("compared.state").groupBy("id").sum("amount").write.mode("overwrite").parquet("out/sums")
        other = orders.select("id", F.col("customer").cast("double").alias("amount"))
        other.write.mode("overwrite").saveAsTable("compared.state")
        orders.select("id", "amount").write.mode("append").saveAsTable("compared.state")
        """
    agrees(compare(program))


def test_names_of_the_default_database_and_of_configuration(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYER", "gold")
    program = """
        orders.select("id").write.mode("overwrite").saveAsTable("default.compared_default")
        named = f"compared.{os.environ['LAYER']}_orders"
        orders.write.saveAsTable(named)
        spark.table(named).where("paid").write.mode("overwrite").parquet("out/paid")
        spark.sql("DROP TABLE default.compared_default")
        """
    agrees(compare(program))


# -- only a run knows it -------------------------------------------------------------------------------------------


def test_what_only_a_run_knows_is_counted_and_fails_nothing(compare: Compare) -> None:
    Path("config.json").write_text('{"columns": ["id", "amount"]}')
    program = """
        config = json.load(open("config.json"))
        orders.select(*config["columns"]).write.mode("overwrite").parquet("out/chosen")
        orders.select("day").write.mode("overwrite").parquet("out/known")
        """
    done = compare(program, options=("--fail-on", "warning"))
    agrees(done, left=2)
    (told,) = [line for line in done.stderr.splitlines() if "not-compared" in line]
    assert told.startswith("job.py:12:1: info[not-compared]: 2 edges into ")
    assert "/out/chosen not comparable, because of what only a run knows: columns from variable" in told


def test_a_branch_that_was_not_taken_is_counted(compare: Compare) -> None:
    program = """
        df = orders
        if os.environ.get("NOBODY_SETS_THIS"):
            df = df.where("paid").withColumn("amount", F.round("amount"))
        df.select("id", "amount").write.mode("overwrite").parquet("out/branch")
        if orders.count() > 1000:
            orders.write.parquet("out/large")
        """
    done = compare(program, options=("--fail-on", "warning"))
    agrees(done, left=8)
    assert "because of a branch of the code that this run did not take" in done.stderr
    assert "because of a write that this run did not come to" in done.stderr


def test_a_target_that_only_a_run_can_name_is_counted(compare: Compare) -> None:
    program = """
        for name in json.loads(open("names.json").read()):
            orders.select("id").write.mode("overwrite").parquet(name)
        """
    Path("names.json").write_text('["out/one", "out/two"]')
    done = compare(program, options=("--fail-on", "warning"))
    agrees(done, left=3)
    assert "because of a name that only a run knows" in done.stderr


# -- they differ -----------------------------------------------------------------------------------------------------


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is inside of upper() is not read from Spark's plan, so that only static reading has it."""
    from lineal.extract.catalyst import expressions

    monkeypatch.setitem(expressions.EXPRESSIONS, "Upper", lambda *_: None)


DIFFERS = 'orders.select("id", F.upper("channel").alias("c")).write.mode("overwrite").parquet("out/differs")'


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("never", 0)])
def test_a_difference_is_told_as_for_sql(compare: Compare, faulty: None, fail_on: str, code: int) -> None:
    done = compare(DIFFERS, options=("--fail-on", fail_on))
    here = Path.cwd()
    told = f"{here}/data/orders.channel -> {here}/out/differs.c  TRANSFORMATION  (only in static)".lower()
    (line,) = [line for line in done.stderr.splitlines() if "engines-disagree" in line]
    assert line.startswith(f"warning[engines-disagree]: {told} (Please report it")
    assert last(done) == "lineal: 1 write; 1 edge, static ≠ Catalyst: 1 disagreement"
    assert done.exit_code == code


def test_a_gap_excuses_no_other_target(compare: Compare, faulty: None) -> None:
    program = f"""
        unknown = json.loads(open("config.json").read())["columns"]
        orders.select(*unknown).write.mode("overwrite").parquet("out/open")
        {DIFFERS}
        """
    done = compare(program)
    assert last(done).endswith("static ≠ Catalyst: 1 disagreement, 2 columns not comparable")


def test_a_write_that_is_not_in_the_program_is_told(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that nobody reads has written it."""
    library = Path("elsewhere")
    library.mkdir(exist_ok=True)
    (library / "beyond.py").write_text(
        'def save(df):\n    df.select("id").write.mode("overwrite").parquet("out/beyond")\n'
    )
    monkeypatch.syspath_prepend(str(library))
    done = compare("import beyond\nbeyond.save(orders)\n")
    assert "/out/beyond.id  identity  (only in catalyst)" in done.stderr.lower()


def test_a_job_that_fails_is_compared_as_far_as_it_came(compare: Compare) -> None:
    program = """
        orders.select("id").write.mode("overwrite").parquet("out/before")
        if orders.count():
            sys.exit(3)
        orders.select("day").write.mode("overwrite").parquet("out/after")
        """
    done = compare(program, options=("--fail-on", "warning"))
    assert done.exit_code == 3
    assert last(done) == "lineal: 1 write; 1 edge, static = Catalyst, 1 column not comparable"
    assert "because of a write that the job failed before" in done.stderr


def test_without_compare_nothing_is_read(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lineal.spark.live.compare.compare_job", None)
    done = CliRunner().invoke(main, ["capture", "job.py", "--timeout", "60"])
    assert "Catalyst" not in done.stderr


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("static", "met", "same"),
    [
        ("default.orders", ["orders"], "orders"),
        ("spark_catalog.default.Orders", ["orders"], "orders"),
        ("lake.orders", ["orders", "lake.orders"], "lake.orders"),
        ("/lake/orders", ["hdfs://host:8020/lake/orders"], "hdfs://host:8020/lake/orders"),
        ("/lake/orders", ["hdfs://a/lake/orders", "hdfs://b/lake/orders"], None),
        ("{env}_raw.meters", ["prod_raw.meters", "prod_raw.places"], "prod_raw.meters"),
        ("{env}_raw.meters", ["prod_raw.meters", "test_raw.meters"], None),
        ("/work/out/{day}", ["/work/out/2026-01-01"], "/work/out/2026-01-01"),
        ("job.py::main::{output}", ["mart"], None),
        ("{output}", ["mart"], None),
        ("orders", ["lake.orders"], None),
    ],
)
def test_which_datasets_are_the_same(static: str, met: list[str], same: str | None) -> None:
    found = SameNames([Dataset("", static)], [Dataset("", name) for name in met]).found
    assert found == ({Dataset("", static): Dataset("", same)} if same is not None else {})


def test_a_pattern_takes_no_name_that_is_another_ones() -> None:
    static = [Dataset("", "{env}.orders"), Dataset("", "prod.orders")]
    found = SameNames(static, [Dataset("", "prod.orders"), Dataset("", "test.orders")]).found
    assert found == {static[1]: static[1], static[0]: Dataset("", "test.orders")}
