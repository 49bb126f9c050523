"""Tables of Delta: whatever way they are written and read, capture gives the edges of the same
thing said in SQL.

Run by `make test-delta`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from changes import (
    STATEMENTS,
    assert_gives,
    by_the_merge,
    by_the_program,
    by_the_text,
    make,
    merge_by_frame,
    program,
)  # fmt: skip
from lakes import needs_delta
from ways import Shop, Written, assert_captured, flow, overwriting, statement, without_lineage

pytestmark = needs_delta

BY_SUBQUERY = ("update by subquery", "delete by subquery")
"""Delta refuses these."""


class DeltaShop(Shop):
    """Next to the two tables, one that has no name, in the folder `held`."""

    @property
    def orders(self) -> Any:
        from delta.tables import DeltaTable

        return DeltaTable.forName(self.spark, "shop.orders").alias("o")

    def read(self, path: str = "orders", **options: Any) -> Any:
        return (
            self.spark.read.format("delta").options(**options).load(self.told(f"{{held}}/{path}"))
        )


@pytest.fixture(scope="module")
def held(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables with a row or two; each has more than one version."""
    folder = tmp_path_factory.mktemp("held")
    spark.sql("CREATE DATABASE IF NOT EXISTS shop")
    make_both(spark)
    for _ in range(2):
        spark.table("shop.orders").write.format("delta").mode("append").save(f"{folder}/orders")
    return folder


def make_both(spark: Any) -> None:
    make(spark, "shop", "USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    spark.sql("INSERT INTO shop.seen VALUES (1, 2, 'mon')")
    spark.sql("INSERT INTO shop.orders VALUES (1, 3, 'mon')")


@pytest.fixture
def shop(spark: Any, held: Path, tmp_path: Path) -> DeltaShop:
    spark.sql("DROP TABLE IF EXISTS shop.made")
    return DeltaShop(spark, "shop", tmp_path, {"held": held})


def from_seen(shop: Shop) -> Any:
    from pyspark.sql import functions as F

    return shop.seen.select("id", (F.col("n") + 1).alias("amount"), F.col("k").alias("day"))


# -- statements and frames over tables of the catalog --------------------------------------------


@pytest.mark.parametrize("name", [name for name in STATEMENTS if name not in BY_SUBQUERY])
def test_a_statement(shop: Shop, name: str) -> None:
    using = "USING delta"
    text = STATEMENTS[name].format(p="shop", u=using)
    assert_gives(shop.spark, lambda: shop.sql(text), by_the_text(name, "shop", using))


def test_a_program_writes_in_every_way(shop: Shop) -> None:
    assert_gives(shop.spark, lambda: program(shop.spark, "shop", "delta"), by_the_program("shop"))


def test_a_frame_is_merged(shop: Shop) -> None:
    assert_gives(shop.spark, lambda: merge_by_frame(shop.spark, "shop"), by_the_merge("shop"))


# -- overwriting a part ----------------------------------------------------------------------------

DAYS = "CREATE TABLE shop.days (id BIGINT, amount BIGINT, day STRING) {};"
APPENDED = "INSERT INTO shop.orders SELECT id, n + 1, k FROM shop.seen"

PARTS = {
    "replaceWhere": Written(
        lambda shop: from_seen(shop)
        .write.format("delta").mode("overwrite").option("replaceWhere", "day = 'mon'").saveAsTable("shop.orders"),
        APPENDED,
    ),
    "partitions": Written(
        lambda shop: from_seen(shop)
        .write.format("delta").mode("overwrite").option("partitionOverwriteMode", "dynamic").insertInto("shop.days"),
        "INSERT INTO shop.days"
        " SELECT id, n + 1, k FROM shop.seen",
    ),
    "static partition": statement(
        "INSERT OVERWRITE shop.days PARTITION (day = 'mon') SELECT id, n FROM shop.seen",
        "INSERT INTO shop.days (id, amount) SELECT id, n FROM shop.seen",
    ),
    "dynamic partitions": statement(
        "INSERT OVERWRITE shop.days PARTITION (day) SELECT id, n, k FROM shop.seen",
        "INSERT INTO shop.days SELECT id, n, k FROM shop.seen",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_overwritten(shop: Shop, name: str) -> None:
    shop.sql("DROP TABLE IF EXISTS shop.days")
    shop.sql(DAYS.format("USING delta PARTITIONED BY (day)"))
    shop.sql("INSERT INTO shop.days VALUES (1, 3, 'mon')")
    with overwriting(shop, name):
        assert_captured(shop, PARTS[name]._replace(over=DAYS.format("")))


# -- by path ---------------------------------------------------------------------------------------

HELD = "CREATE TABLE delta.`{held}/orders` (id BIGINT, amount BIGINT, day STRING);"
INTO_MADE = "CREATE TABLE shop.made AS SELECT id, upper(day) AS day FROM delta.`{held}/orders` WHERE amount > 1"


def into_made(shop: DeltaShop, orders: Any) -> None:
    from pyspark.sql import functions as F

    made = orders.where("amount > 1").select("id", F.upper("day").alias("day"))
    made.write.format("delta").saveAsTable("shop.made")


BY_PATH = {
    "save": Written(
        lambda shop: (
            from_seen(shop)
            .write.format("delta")
            .mode("overwrite")
            .save(shop.told("{held}/orders/"))
        ),
        "CREATE TABLE delta.`{held}/orders` AS SELECT id, n + 1 AS amount, k AS day FROM shop.seen",
    ),
    "create as": statement(
        "CREATE TABLE delta.`{folder}/new` USING delta AS SELECT id, n FROM shop.seen"
    ),
    "insert": statement(
        "INSERT INTO delta.`{held}/orders` SELECT id, n + 1, k FROM shop.seen WHERE n > 1"
    ),
    "delete": statement("DELETE FROM delta.`{held}/orders` WHERE amount > 3"),
    "update": statement("UPDATE delta.`{held}/orders` SET day = upper(day) WHERE amount > 3"),
    "merge": statement(
        """MERGE INTO delta.`{held}/orders` t USING shop.seen s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET amount = s.n WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.k)"""
    ),
    "load": Written(lambda shop: into_made(shop, shop.read()), INTO_MADE),
    "load a version": Written(lambda shop: into_made(shop, shop.read(versionAsOf=0)), INTO_MADE),
    "load a version by its name": Written(
        lambda shop: into_made(shop, shop.read("orders@v0")), INTO_MADE
    ),
    "select": statement(INTO_MADE.replace("made AS", "made USING delta AS")),
    "select a version": statement(
        INTO_MADE.replace("made AS", "made USING delta AS").replace(
            " WHERE", " VERSION AS OF 0 WHERE"
        )
    ),
    "select a version by its name": statement(
        INTO_MADE.replace("made AS", "made USING delta AS").replace(
            "orders` WHERE", "orders@v0` WHERE"
        )
    ),
}


@pytest.mark.parametrize("name", BY_PATH)
def test_a_table_is_its_path(shop: Shop, name: str) -> None:
    assert_captured(shop, BY_PATH[name]._replace(over=HELD))


# -- the builders of DeltaTable --------------------------------------------------------------------


def merge_in_every_way(shop: DeltaShop) -> None:
    merge = shop.orders.merge(shop.seen.alias("s"), "o.id = s.id")
    merge = merge.whenMatchedUpdate("s.n > 1", {"amount": "s.n + o.amount"}).whenMatchedDelete(
        "o.amount = 7"
    )
    merge = merge.whenNotMatchedInsert("s.n < 9", {"id": "s.id", "amount": "s.n"})
    merge.whenNotMatchedBySourceUpdate("o.amount > 3", {"day": "'gone'"}).execute()


def merge_all(shop: DeltaShop) -> None:
    merge = shop.orders.merge(from_seen(shop).alias("s"), "o.id = s.id")
    merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().whenNotMatchedBySourceDelete().execute()


BUILT = {
    "merge": Written(
        merge_in_every_way,
        """MERGE INTO shop.orders o USING shop.seen s ON o.id = s.id
           WHEN MATCHED AND s.n > 1 THEN UPDATE SET amount = s.n + o.amount
           WHEN MATCHED AND o.amount = 7 THEN DELETE
           WHEN NOT MATCHED AND s.n < 9 THEN INSERT (id, amount) VALUES (s.id, s.n)
           WHEN NOT MATCHED BY SOURCE AND o.amount > 3 THEN UPDATE SET day = 'gone'""",
    ),
    "merge all": Written(
        merge_all,
        """MERGE INTO shop.orders o USING (SELECT id, n + 1 AS amount, k AS day FROM shop.seen) s ON o.id = s.id
           WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE""",
    ),
    "update": Written(
        lambda shop: shop.orders.update("amount > 4", {"day": "concat(day, id)"}),
        "UPDATE shop.orders SET day = concat(day, id) WHERE amount > 4",
    ),
    "delete": Written(
        lambda shop: shop.orders.delete("amount > 4"), "DELETE FROM shop.orders WHERE amount > 4"
    ),
}


@pytest.mark.parametrize("name", BUILT)
def test_a_builder(shop: Shop, name: str) -> None:
    assert_captured(shop, BUILT[name])


# -- versions, clones, housekeeping ----------------------------------------------------------------

VERSIONS = {
    "a former version": statement("INSERT INTO shop.orders SELECT id, n, k FROM shop.seen VERSION AS OF 0"),
    "a former time": Written(
        lambda shop: shop.spark.read.option("versionAsOf", 1).table("shop.seen").select("id", "n", "k")
        .write.insertInto("shop.orders"),
        "INSERT INTO shop.orders SELECT id, n, k FROM shop.seen",
    ),
    "changes": statement(
        "CREATE TABLE shop.made USING delta AS SELECT id, _change_type AS what FROM table_changes('shop.seen', 1)"
        " WHERE _commit_version > 0"
    ),
    "changes of a frame": Written(
        lambda shop: shop.spark.read.option("readChangeFeed", "true").option("startingVersion", 1).table("shop.seen")
        .selectExpr("id", "_change_type AS what").where("_commit_version > 0")
        .write.format("delta").saveAsTable("shop.made"),
        "CREATE TABLE shop.made USING delta AS SELECT id, _change_type AS what FROM table_changes('shop.seen', 1)"
        " WHERE _commit_version > 0",
    ),
    "clone": statement("CREATE TABLE shop.made SHALLOW CLONE shop.seen"),
    "clone of a version": statement("CREATE OR REPLACE TABLE shop.made SHALLOW CLONE shop.seen VERSION AS OF 0"),
    "clone by path": statement(
        "CREATE TABLE delta.`{folder}/copy` SHALLOW CLONE delta.`{held}/orders`", over=HELD
    ),
    "restore": statement("RESTORE TABLE shop.orders TO VERSION AS OF 0"),
    "restore by the builder": Written(
        lambda shop: shop.orders.restoreToVersion(1), "RESTORE TABLE shop.orders TO VERSION AS OF 1"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VERSIONS)
def test_versions(shop: Shop, name: str) -> None:
    assert_captured(shop, VERSIONS[name])


def restore_what_is_there(shop: DeltaShop) -> None:
    shop.orders.restoreToVersion(shop.orders.history(1).collect()[0]["version"])


HOUSEKEEPING = {
    "optimize": without_lineage("OPTIMIZE shop.seen ZORDER BY (n)"),
    "vacuum": without_lineage("VACUUM shop.seen"),
    "convert": without_lineage("CONVERT TO DELTA parquet.`{folder}/plain`"),
    "history": Written(lambda shop: shop.sql("DESCRIBE HISTORY shop.seen").collect()),
    "properties": without_lineage("ALTER TABLE shop.seen SET TBLPROPERTIES (a = 'b')"),
    "restore of what is there": Written(restore_what_is_there),
}


@pytest.mark.parametrize("name", HOUSEKEEPING)
def test_housekeeping_leaves_no_lineage(shop: Shop, name: str) -> None:
    shop.seen.write.parquet(f"{shop.folder}/plain")
    assert_captured(shop, HOUSEKEEPING[name])


# -- streams ---------------------------------------------------------------------------------------


def merge_batch(batch: Any, _: int) -> None:
    from delta.tables import DeltaTable

    orders = DeltaTable.forName(batch.sparkSession, "shop.orders").alias("o")
    orders.merge(batch.alias("s"), "o.id = s.id").whenMatchedUpdate(set={"amount": "s.n"}).execute()


FLOWS = {
    "into a table": Written(
        lambda shop: flow(
            shop, shop.spark.readStream.table("shop.seen").selectExpr("id", "n + 1 AS more").writeStream,
            table="shop.made",
        ),
        "CREATE TABLE shop.made AS SELECT id, n + 1 AS more FROM shop.seen",
    ),
    "from path to path": Written(
        lambda shop: flow(
            shop, shop.spark.readStream.format("delta").load(shop.told("{held}/orders")).where("amount > 1")
            .writeStream.format("delta"),
            path=f"{shop.folder}/copy",
        ),
        "CREATE TABLE delta.`{folder}/copy` AS SELECT * FROM delta.`{held}/orders` WHERE amount > 1",
        HELD,
    ),
    "merged batch by batch": Written(
        lambda shop: flow(
            shop, shop.spark.readStream.table("shop.seen").where("k > 'a'").writeStream.foreachBatch(merge_batch)
        ),
        """MERGE INTO shop.orders o USING (SELECT * FROM shop.seen WHERE k > 'a') s ON o.id = s.id
           WHEN MATCHED THEN UPDATE SET amount = s.n""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOWS)
def test_a_stream(shop: Shop, name: str) -> None:
    assert_captured(shop, FLOWS[name])


# -- schemas that grow -----------------------------------------------------------------------------

GROWN = {
    "append": Written(
        lambda shop: shop.seen.selectExpr("id", "k AS color").write.format("delta").mode("append")
        .option("mergeSchema", "true").saveAsTable("shop.orders"),
        "INSERT INTO shop.orders (id, color) SELECT id, k FROM shop.seen",
        "ALTER TABLE shop.orders ADD COLUMN color STRING;",
    ),
    "overwrite": Written(
        lambda shop: shop.seen.selectExpr("n AS id", "k AS color").write.format("delta").mode("overwrite")
        .option("overwriteSchema", "true").saveAsTable("shop.orders"),
        "CREATE OR REPLACE TABLE shop.orders AS SELECT n AS id, k AS color FROM shop.seen",
    ),
    "merge": statement(
        """MERGE WITH SCHEMA EVOLUTION INTO shop.orders o USING (SELECT id, k AS color FROM shop.seen) s ON o.id = s.id
           WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GROWN)
def test_a_schema_that_grows(shop: Shop, name: str) -> None:
    try:
        assert_captured(shop, GROWN[name])
    finally:
        make_both(shop.spark)
