"""Tables of Iceberg: whatever way they are written and read, capture gives the edges of the same thing said in SQL.

Run by `make test-iceberg`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from changes import STATEMENTS, by_running, by_the_program, by_the_text, edges_of, make, merge_by_frame, program
from lakes import needs_iceberg

pytestmark = [
    needs_iceberg,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # of Spark's own sockets
]

KINDS = {
    "copied": "USING iceberg TBLPROPERTIES ('write.update.mode' = 'copy-on-write',"
    " 'write.delete.mode' = 'copy-on-write', 'write.merge.mode' = 'copy-on-write')",
    "marked": "USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read',"
    " 'write.delete.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read')",
}
"""How a table takes changes: files are written anew, or rows are marked as deleted"""


@pytest.fixture(scope="module")
def lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    spark.conf.set("spark.sql.catalog.lake.warehouse", str(tmp_path_factory.mktemp("lake")))
    return spark


@pytest.fixture(scope="module", params=KINDS)
def changed(lake: Any, request: pytest.FixtureRequest) -> tuple[str, str]:
    """A schema with both tables, and how they are made."""
    tables, using = f"lake.{request.param}", KINDS[request.param]
    make(lake, tables, using)
    return tables, using


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement(lake: Any, changed: tuple[str, str], name: str) -> None:
    tables, using = changed
    if name == "create as":
        lake.sql(f"DROP TABLE IF EXISTS {tables}.made")
    facts, problems = by_running(lake, lambda: lake.sql(STATEMENTS[name].format(p=tables, u=using)))
    assert problems == []
    assert facts == by_the_text(name, tables, using)


def test_a_program_writes_in_every_way(lake: Any) -> None:
    make(lake, "lake.program", "USING iceberg")
    facts, problems = by_running(lake, lambda: program(lake, "lake.program", "iceberg"))
    assert (facts, problems) == (by_the_program("lake.program"), [])


def test_a_frame_is_merged(lake: Any) -> None:
    make(lake, "lake.frames", "USING iceberg")
    facts, problems = by_running(lake, lambda: merge_by_frame(lake, "lake.frames"))
    assert problems == []
    assert facts == edges_of(
        """MERGE INTO lake.frames.orders USING lake.frames.seen s ON orders.id = s.id
           WHEN MATCHED AND s.n > 1 THEN UPDATE SET amount = s.n + orders.amount
           WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.k)""",
        "lake.frames",
    )


# -- everything else, over one pair of tables --------------------------------------------------------------------


class Shop(NamedTuple):
    """Two tables, the first state of one of them, and a folder for what a test makes."""

    spark: Any
    snapshot: int
    folder: Path

    def told(self, text: str) -> str:
        return text.format(snapshot=self.snapshot, folder=self.folder)

    def sql(self, text: str) -> Any:
        return self.spark.sql(self.told(text))

    @property
    def seen(self) -> Any:
        return self.spark.table("lake.shop.seen")


@pytest.fixture(scope="module")
def snapshot(lake: Any) -> int:
    make(lake, "lake.shop", "USING iceberg")
    lake.sql("CREATE TABLE lake.shop.days (id BIGINT, amount BIGINT, day STRING) USING iceberg PARTITIONED BY (day)")
    lake.sql("INSERT INTO lake.shop.seen VALUES (1, 2, 'mon')")
    lake.sql("INSERT INTO lake.shop.seen VALUES (2, 3, 'tue')")
    lake.sql("ALTER TABLE lake.shop.seen CREATE TAG former")
    return int(lake.sql("SELECT min_by(snapshot_id, committed_at) FROM lake.shop.seen.snapshots").collect()[0][0])


@pytest.fixture
def shop(lake: Any, snapshot: int, tmp_path: Path) -> Shop:
    lake.sql("DROP TABLE IF EXISTS lake.shop.made")
    return Shop(lake, snapshot, tmp_path)


class Written(NamedTuple):
    """A way to write, and a statement that does the same."""

    run: Callable[[Shop], Any]
    same_as: str = ""
    """nothing for what leaves no lineage"""


def statement(text: str, same_as: str = "") -> Written:
    return Written(lambda shop: shop.sql(text), same_as or text)


DAYS = "CREATE TABLE lake.shop.days (id BIGINT, amount BIGINT, day STRING);"
INTO_DAYS = DAYS + "INSERT INTO lake.shop.days SELECT id, n, k FROM lake.shop.seen"
INTO_MADE = "CREATE TABLE lake.shop.made AS SELECT id, n + 1 AS more FROM lake.shop.seen WHERE k > 'a'"


def into_made(seen: Any) -> None:
    seen.where("k > 'a'").selectExpr("id", "n + 1 AS more").writeTo("lake.shop.made").create()


def flow(shop: Shop, stream: Any) -> Any:
    return stream.option("checkpointLocation", f"{shop.folder}/progress").trigger(availableNow=True)


def merge_batch(batch: Any, _: int) -> None:
    batch.createOrReplaceTempView("arrived")
    batch.sparkSession.sql(
        "MERGE INTO lake.shop.orders o USING arrived s ON o.id = s.id WHEN MATCHED THEN UPDATE SET amount = s.n"
    )


def stream_into_made(shop: Shop) -> None:
    shop.sql("CREATE TABLE lake.shop.made (id BIGINT, more BIGINT) USING iceberg")
    read = shop.spark.readStream.table("lake.shop.seen").where("k > 'a'").selectExpr("id", "n + 1 AS more")
    flow(shop, read.writeStream).toTable("lake.shop.made").awaitTermination()


def merge_batches(shop: Shop) -> None:
    read = shop.spark.readStream.table("lake.shop.seen").where("k > 'a'")
    flow(shop, read.writeStream.foreachBatch(merge_batch)).start().awaitTermination()


WAYS = {
    "static partition": statement(
        "INSERT OVERWRITE lake.shop.days PARTITION (day = 'mon') SELECT id, n FROM lake.shop.seen",
        DAYS + "INSERT INTO lake.shop.days (id, amount) SELECT id, n FROM lake.shop.seen",
    ),
    "dynamic partitions": statement("INSERT OVERWRITE lake.shop.days SELECT id, n, k FROM lake.shop.seen", INTO_DAYS),
    "overwritten partitions": Written(
        lambda shop: shop.seen.selectExpr("id", "n AS amount", "k AS day").writeTo("lake.shop.days")
        .overwritePartitions(),
        INTO_DAYS,
    ),
    "a former version": statement(
        "INSERT INTO lake.shop.days SELECT id, n, k FROM lake.shop.seen VERSION AS OF {snapshot}", INTO_DAYS
    ),
    "a tag": statement(
        "INSERT INTO lake.shop.days SELECT id, n, k FROM lake.shop.seen VERSION AS OF 'former'", INTO_DAYS
    ),
    "a snapshot of a frame": Written(
        lambda shop: into_made(shop.spark.read.option("versionAsOf", shop.snapshot).table("lake.shop.seen")), INTO_MADE
    ),
    "load by name": Written(
        lambda shop: into_made(shop.spark.read.format("iceberg").load("lake.shop.seen")), INTO_MADE
    ),
    "what the engine knows of a row": statement(
        "CREATE TABLE lake.shop.made USING iceberg AS SELECT id, _file AS file FROM lake.shop.seen",
        "CREATE TABLE lake.shop.made AS SELECT id FROM lake.shop.seen",
    ),
    "a stream": Written(stream_into_made, INTO_MADE),
    "a stream, merged batch by batch": Written(
        merge_batches,
        """MERGE INTO lake.shop.orders o USING (SELECT * FROM lake.shop.seen WHERE k > 'a') s ON o.id = s.id
           WHEN MATCHED THEN UPDATE SET amount = s.n""",
    ),
    "new files for old ones": Written(lambda shop: shop.sql("CALL lake.system.rewrite_data_files('shop.seen')")),
    "old states forgotten": Written(lambda shop: shop.sql("CALL lake.system.expire_snapshots('shop.days')")),
    "a column more": Written(lambda shop: shop.sql("ALTER TABLE lake.shop.days ADD COLUMN colour STRING")),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_a_way_to_write(shop: Shop, name: str) -> None:
    dynamic = "dynamic" if "dynamic" in name else "static"
    shop.spark.conf.set("spark.sql.sources.partitionOverwriteMode", dynamic)
    facts, problems = by_running(shop.spark, lambda: WAYS[name].run(shop))
    assert problems == []
    assert facts == edges_of(shop.told(WAYS[name].same_as), "lake.shop")
