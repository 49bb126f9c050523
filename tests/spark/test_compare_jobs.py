"""Jobs under `lineal capture JOB --compare`: the report of each, and the exit code. They share
one session.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from lineal.cli import main
from lineal.extract.catalyst import expressions

START = """
from pyspark.sql import SparkSession, Window, functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("cmp.orders")
"""
TABLES = {
    "orders": ("order_id int, customer_id int, amount double, status string, day date, channel string", (
        "SELECT 1, 1, 10D, 'paid', date'2026-11-16', 'web' UNION ALL SELECT 2, 1, 20D, 'open', date'2026-11-17', 'app'"
    )),
    "customers": ("customer_id int, name string, country string", "SELECT 1, 'ann', 'DE'"),
    "events": (
        "user_id int, payload struct<page: string>, tags array<string>, attrs map<string, string>",
        "SELECT 1, named_struct('page', 'p'), array('t'), map('utm', 'u')",
    ),
    "totals": ("customer_id int, total double", "SELECT 1, 2D"),
}  # fmt: skip


class Done(NamedTuple):
    """What a comparison has said."""

    code: int
    said: list[str]
    """the diagnostics"""
    end: str


@pytest.fixture(scope="module", autouse=True)
def tables(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    spark.sql(f"CREATE DATABASE cmp LOCATION '{tmp_path_factory.mktemp('cmp')}'")
    for name, (columns, rows) in TABLES.items():
        spark.sql(f"CREATE TABLE cmp.{name} ({columns}) USING parquet")
        spark.sql(f"INSERT INTO cmp.{name} {rows}")
    yield
    spark.sql("DROP DATABASE cmp CASCADE")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(folder: Path, text: str, *arguments: str, fail_on: str = "warning") -> Done:
    (folder / "job.py").write_text(START + text, encoding="utf-8")
    command = ["capture", "job.py", "--compare", "--fail-on", fail_on, "--", *arguments]
    done = CliRunner().invoke(main, command)
    lines = done.stderr.splitlines()
    return Done(done.exit_code, [line for line in lines if "[" in line and "]:" in line], lines[-1])


def test_frames_of_every_kind_agree(folder: Path) -> None:
    job = """
        latest = Window.partitionBy("customer_id").orderBy(F.desc("day"))
        ranked = orders.withColumn("rn", F.row_number().over(latest)).withColumn("before", F.lag("amount").over(latest))
        ranked.where("rn = 1").drop("rn").write.mode("overwrite").saveAsTable("cmp.latest")
        o, c = orders.alias("o"), F.broadcast(spark.table("cmp.customers")).alias("c")
        joined = o.join(c, F.col("o.customer_id") == F.col("c.customer_id"), "left")
        joined.select("o.order_id", F.upper("c.name").alias("name")).writeTo("cmp.joined").using("parquet").create()
        web = orders.where("channel = 'web'").select("order_id", F.col("amount").alias("value"))
        old = spark.table("cmp.totals").select(F.col("total").alias("value"), F.lit(0).alias("order_id"))
        web.unionByName(old, allowMissingColumns=True).distinct().write.mode("overwrite").saveAsTable("cmp.united")
        wide = orders.groupBy("customer_id").pivot("channel", ["web", "app"]).agg(F.sum("amount"))
        wide.cache().write.mode("overwrite").saveAsTable("cmp.wide")
        e = spark.table("cmp.events")
        flat = e.select("user_id", "payload.page", e.attrs["utm"].alias("utm"), F.explode("tags").alias("tag"))
        flat.write.mode("overwrite").saveAsTable("cmp.flat")
        orders.select("customer_id", "amount").write.insertInto("cmp.totals")
        for name in ("orders", "customers"):
            frame = spark.table(f"cmp.{name}")
            frame.select([F.col(c).alias(c.upper()) for c in frame.columns if c.endswith("_id")]) \\
                .write.mode("overwrite").saveAsTable(f"cmp.{name}_ids")
    """
    done = compare(folder, dedented(job))
    assert done == (0, [], "lineal: 8 writes; 38 edges, static = Catalyst")


def test_datasets_are_the_same_under_every_name(folder: Path) -> None:
    lake = folder / "lake"
    job = f"""
        import os
        from pathlib import Path
        here = Path(__file__).resolve().parent
        orders.select("order_id", "amount").write.parquet(str(here / "lake" / "orders"))
        spark.read.parquet("file://{lake}/orders/").select("amount").write.parquet(os.path.join(os.getcwd(), "out"))
        spark.sql("USE cmp")
        spark.table("customers").select("name").write.mode("overwrite").saveAsTable("names")
        spark.catalog.setCurrentDatabase("default")
        spark.table("spark_catalog.cmp.names").write.mode("overwrite").saveAsTable("spark_catalog.cmp.copied")
        spark.sql("CREATE TABLE spark_catalog.cmp.again USING parquet AS SELECT * FROM spark_catalog.cmp.copied")
    """
    done = compare(folder, dedented(job))
    assert done == (0, [], "lineal: 5 writes; 6 edges, static = Catalyst")


def test_a_frame_that_is_only_shown_writes_nothing(folder: Path) -> None:
    done = compare(folder, "orders.where('amount > 3').select('order_id').show()\n", fail_on="info")
    assert done == (0, [], "lineal: 0 writes; 0 edges, static = Catalyst")


def test_a_write_that_the_text_does_not_show_is_not_comparable(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "view.sql").write_text(
        "CREATE TEMP VIEW cmp_staged AS SELECT order_id FROM cmp.orders WHERE amount > 1"
    )
    (folder / "table.sql").write_text(
        "CREATE TABLE cmp.by_text USING parquet AS SELECT amount FROM cmp.orders"
    )
    library = folder / "elsewhere" / "acme_publish.py"
    library.parent.mkdir()
    library.write_text("def publish(df, name):\n    df.write.saveAsTable(name)\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(library.parent)])
    job = """
        import sys
        from pathlib import Path
        from acme_publish import publish
        for file in sys.argv[1:]:
            spark.sql(Path(file).read_text())
        spark.table("cmp_staged").write.mode("overwrite").saveAsTable("cmp.by_view")
        publish(orders.select("status"), "cmp.published")
        exec('orders.select("day").write.mode("overwrite").saveAsTable("cmp.by_exec")')
    """
    done = compare(folder, dedented(job), "view.sql", "table.sql")
    assert done.code == 0
    assert [line.partition(" not comparable")[0] for line in done.said] == [
        "job.py:10:5: info[not-compared]: 1 edge into cmp.by_text",
        "job.py:10:5: info[not-compared]: 1 edge into cmp.published",
        "job.py:10:5: info[not-compared]: 3 edges into cmp.by_view",
    ]
    assert done.end.startswith("lineal: 4 writes; 5 edges, static = Catalyst, ")


def test_code_that_only_a_run_knows_is_reported_and_not_compared(folder: Path) -> None:
    (folder / "code.txt").write_text(
        'orders.select("day").write.mode("overwrite").saveAsTable("cmp.by_exec")'
    )
    done = compare(folder, "from pathlib import Path\nexec(Path('code.txt').read_text())\n")
    assert done.code == 0
    assert done.said == [
        "job.py:7:1: info[not-compared]: 1 edge into cmp.by_exec not comparable, because of a write that the text does "
        "not show: code that only a run knows: exec(Path('code.txt').read_text())"
    ]


def test_columns_that_only_the_data_knows_are_counted(folder: Path) -> None:
    job = """
        orders.groupBy("customer_id").pivot("status").sum("amount").write.mode("overwrite").saveAsTable("cmp.by_status")
        kinds = [row.channel for row in orders.select("channel").distinct().collect()]
        for kind in kinds:
            orders.where(F.col("channel") == kind).write.mode("overwrite").saveAsTable(f"cmp.only_{kind}")
    """
    done = compare(folder, dedented(job))
    assert done.code == 0
    assert done.said and all("info[not-compared]" in line for line in done.said)
    assert "static = Catalyst" in done.end


@pytest.mark.parametrize(
    ("end", "code"), [("raise ValueError('bad')", 1), ("sys.exit(3)", 3), ("sys.exit(0)", 0)]
)
def test_a_job_that_ends_early_is_compared_as_far_as_it_came(
    folder: Path, end: str, code: int
) -> None:
    job = f"""
        import sys
        orders.select("order_id").write.mode("overwrite").saveAsTable("cmp.first")
        if orders.count() < 100:
            {end}
        orders.select("amount").write.mode("overwrite").saveAsTable("cmp.second")
    """
    done = compare(folder, dedented(job), fail_on="warning")
    assert done.code == code
    assert [line.partition(",")[0] for line in done.said] == [
        "info[not-compared]: 1 edge into cmp.second not comparable"
    ]
    assert done.end == "lineal: 1 write; 1 edge, static = Catalyst, 1 column not comparable"


def test_a_stream_by_batches_agrees(folder: Path) -> None:
    job = """
        def keep(batch, number):
            new = batch.dropDuplicates(["order_id"]).select("order_id", F.col("amount").alias("paid"))
            new.write.mode("append").saveAsTable("cmp.streamed")

        stream = spark.readStream.table("cmp.orders").where("amount > 0").writeStream.foreachBatch(keep)
        stream.option("checkpointLocation", CHECKPOINT).trigger(availableNow=True).start().awaitTermination()
    """
    done = compare(folder, dedented(job).replace("CHECKPOINT", repr(str(folder / "checkpoint"))))
    assert done == (0, [], "lineal: 1 write; 4 edges, static = Catalyst")


def test_a_difference_is_listed_with_the_place_that_writes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The argument of upper() is not read from Spark's plan, so that only static reading has it."""
    monkeypatch.setitem(expressions.EXPRESSIONS, "Upper", lambda *_: None)
    job = "orders.select(F.upper('status').alias('s')).write.mode('overwrite').saveAsTable('cmp.upper')\n"
    for fail_on, code in (("warning", 1), ("error", 0)):
        done = compare(folder, job, fail_on=fail_on)
        assert done.code == code
        assert done.end == "lineal: 1 write; 0 edges, static ≠ Catalyst: 1 disagreement"
        (line,) = done.said
        assert line.startswith(
            "job.py:6:1: warning[engines-disagree]: cmp.orders.status -> cmp.upper.s  TRANSFORMATION  (only in static)"
        )


def dedented(text: str) -> str:
    return dedent(text).lstrip()
