"""Tables of Iceberg: whatever way they are written and read, capture gives the edges of the same
thing said in SQL.

Run by `make test-iceberg`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from changes import (
    STATEMENTS,
    assert_gives,
    by_running,
    by_the_merge,
    by_the_program,
    by_the_text,
    make,
    merge_by_frame,
    program,
)  # fmt: skip
from lakes import needs_iceberg
from ways import Shop, Written, assert_captured, flow, overwriting, statement, without_lineage

pytestmark = [
    needs_iceberg,
    # of Spark's own sockets
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

KINDS = {
    "copied": "USING iceberg TBLPROPERTIES ('write.update.mode' = 'copy-on-write',"
    " 'write.delete.mode' = 'copy-on-write', 'write.merge.mode' = 'copy-on-write')",
    "marked": "USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read',"
    " 'write.delete.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read')",
}
"""How a table takes changes: files are written again, or rows are marked as deleted"""


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
    text = STATEMENTS[name].format(p=tables, u=using)
    assert_gives(lake, lambda: lake.sql(text), by_the_text(name, tables, using))


def test_a_program_writes_in_every_way(lake: Any) -> None:
    make(lake, "lake.program", "USING iceberg")
    assert_gives(
        lake, lambda: program(lake, "lake.program", "iceberg"), by_the_program("lake.program")
    )


def test_a_frame_is_merged(lake: Any) -> None:
    make(lake, "lake.frames", "USING iceberg")
    assert_gives(lake, lambda: merge_by_frame(lake, "lake.frames"), by_the_merge("lake.frames"))


# -- everything else, over one pair of tables ------------------------------------------------------


@pytest.fixture(scope="module")
def snapshot(lake: Any) -> int:
    make(lake, "lake.shop", "USING iceberg")
    lake.sql(
        "CREATE TABLE lake.shop.days (id BIGINT, amount BIGINT, day STRING) USING iceberg PARTITIONED BY (day)"
    )
    lake.sql("INSERT INTO lake.shop.seen VALUES (1, 2, 'mon')")
    lake.sql("INSERT INTO lake.shop.seen VALUES (2, 3, 'tue')")
    lake.sql("ALTER TABLE lake.shop.seen CREATE TAG former")
    return int(
        lake.sql(
            "SELECT min_by(snapshot_id, committed_at) FROM lake.shop.seen.snapshots"
        ).collect()[0][0]
    )


@pytest.fixture
def shop(lake: Any, snapshot: int, tmp_path: Path) -> Shop:
    lake.sql("DROP TABLE IF EXISTS lake.shop.made")
    return Shop(lake, "lake.shop", tmp_path, {"snapshot": snapshot})


DAYS = "CREATE TABLE lake.shop.days (id BIGINT, amount BIGINT, day STRING);"
INTO_DAYS = DAYS + "INSERT INTO lake.shop.days SELECT id, n, k FROM lake.shop.seen"
INTO_MADE = (
    "CREATE TABLE lake.shop.made AS SELECT id, n + 1 AS more FROM lake.shop.seen WHERE k > 'a'"
)


def into_made(seen: Any) -> None:
    seen.where("k > 'a'").selectExpr("id", "n + 1 AS more").writeTo("lake.shop.made").create()


def merge_batch(batch: Any, _: int) -> None:
    batch.createOrReplaceTempView("arrived")
    batch.sparkSession.sql(
        "MERGE INTO lake.shop.orders o USING arrived s ON o.id = s.id WHEN MATCHED THEN UPDATE SET amount = s.n"
    )


def stream_into_made(shop: Shop) -> None:
    shop.sql("CREATE TABLE lake.shop.made (id BIGINT, more BIGINT) USING iceberg")
    read = (
        shop.spark.readStream.table("lake.shop.seen")
        .where("k > 'a'")
        .selectExpr("id", "n + 1 AS more")
    )
    flow(shop, read.writeStream, table="lake.shop.made")


def merge_batches(shop: Shop) -> None:
    read = shop.spark.readStream.table("lake.shop.seen").where("k > 'a'")
    flow(shop, read.writeStream.foreachBatch(merge_batch))


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
        lambda shop: into_made(shop.spark.read.option("versionAsOf", shop.names["snapshot"]).table("lake.shop.seen")),
        INTO_MADE,
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
    "new files for old ones": without_lineage(
        "CALL lake.system.rewrite_data_files(table => 'shop.seen', options => map('rewrite-all', 'true'))"
    ),
    "old states forgotten": without_lineage("CALL lake.system.expire_snapshots('shop.days')"),
    "a column more": without_lineage("ALTER TABLE lake.shop.days ADD COLUMN color STRING"),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_a_way_to_write(shop: Shop, name: str) -> None:
    with overwriting(shop, name):
        assert_captured(shop, WAYS[name])


# -- procedures ------------------------------------------------------------------------------------

PROCEDURES = {
    "lake.system.rollback_to_snapshot": "('shop.seen', {snapshot})",
    "lake.system.add_files": "(table => 'shop.seen', source_table => '`parquet`.`{folder}/plain`',"
    " check_duplicate_files => false)",
}


@pytest.mark.parametrize("name", PROCEDURES)
def test_a_procedure_is_reported_once(shop: Shop, name: str) -> None:
    shop.seen.write.parquet(f"{shop.folder}/plain")
    call = f"CALL {name}{PROCEDURES[name]}"

    def run() -> None:
        shop.sql(f"-- once more\n{call}")
        shop.spark.sql(sqlQuery=shop.told(call))

    assert by_running(shop.spark, run) == (
        set(),
        [f"the writes of the procedure {name} cannot be captured"],
    )


def test_a_procedure_that_fails_has_written_nothing(shop: Shop) -> None:
    def run() -> None:
        with pytest.raises(Exception, match="nowhere"):
            shop.sql("CALL lake.system.rollback_to_snapshot('shop.nowhere', 1)")

    assert_gives(shop.spark, run, set())
