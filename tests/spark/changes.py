"""Statements and programs that write tables of catalogs: what is captured, and what their texts
say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lineal
from lineal.spark import capture

TABLES = {
    "orders": "(id BIGINT, amount BIGINT, day STRING)",
    "seen": "(id BIGINT, n BIGINT, k STRING)",
}

STATEMENTS = {
    "insert": "INSERT INTO {p}.orders SELECT id, n + 1, k FROM {p}.seen WHERE n > 1",
    "insert by name": "INSERT INTO {p}.orders (day, id) SELECT k, id FROM {p}.seen",
    "insert overwrite": "INSERT OVERWRITE {p}.orders SELECT id, max(n), k FROM {p}.seen GROUP BY id, k",
    "replace where": "INSERT INTO {p}.orders REPLACE WHERE day = 'mon' SELECT id, n, 'mon' FROM {p}.seen",
    "create as": "CREATE TABLE {p}.made {u} AS SELECT id, n * 2 AS twice FROM {p}.seen",
    "create or replace": "CREATE OR REPLACE TABLE {p}.made {u} AS SELECT s.k, o.day FROM {p}.seen s"
    " JOIN {p}.orders o ON s.id = o.id",
    "update": "UPDATE {p}.orders SET amount = amount + id WHERE day = 'mon'",
    "update all": "UPDATE {p}.orders SET day = upper(day), amount = 0",
    "update by case": "UPDATE {p}.orders SET amount = CASE WHEN day = 'x' THEN id ELSE amount END",
    "update by subquery": "UPDATE {p}.orders SET amount = id WHERE id IN (SELECT id FROM {p}.seen WHERE n > 1)",
    "delete": "DELETE FROM {p}.orders WHERE amount > 3 AND day = 'tue'",
    "delete by subquery": "DELETE FROM {p}.orders WHERE id IN (SELECT id FROM {p}.seen WHERE n > 1)",
    "merge": """MERGE INTO {p}.orders t USING (SELECT * FROM {p}.seen WHERE k > 'a') s ON t.id = s.id AND t.day = 'mon'
        WHEN MATCHED AND s.n > 1 THEN UPDATE SET amount = s.n + t.amount
        WHEN MATCHED AND t.amount = 7 THEN DELETE
        WHEN NOT MATCHED AND s.n < 9 THEN INSERT (id, amount) VALUES (s.id, s.n)
        WHEN NOT MATCHED BY SOURCE AND t.amount > 3 THEN UPDATE SET day = 'gone'""",
    "merge matched": """MERGE INTO {p}.orders t USING {p}.seen s ON t.id = s.id AND t.day = 'mon'
        WHEN MATCHED THEN UPDATE SET amount = s.n""",
    "merge star": """MERGE INTO {p}.orders t USING (SELECT id, n AS amount, lower(k) AS day FROM {p}.seen) s
        ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""",
    "merge insert": """MERGE INTO {p}.orders t USING {p}.seen s ON t.id = s.id
        WHEN NOT MATCHED AND s.n > 2 THEN INSERT (id, amount) VALUES (s.id, s.n * 2)""",
    "merge inserts": """MERGE INTO {p}.orders t USING {p}.seen s ON t.id = s.id
        WHEN NOT MATCHED AND s.n > 2 THEN INSERT (id, amount) VALUES (s.id, s.n * 2)
        WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.k)""",
    "merge delete": "MERGE INTO {p}.orders t USING {p}.seen s ON t.id = s.id WHEN MATCHED THEN DELETE",
}


def by_the_text(name: str, tables: str, using: str = "") -> set[str]:
    """What the SQL front end says of the statement."""
    return edges_of(STATEMENTS[name].format(p=tables, u=using), tables)


def edges_of(text: str, tables: str) -> set[str]:
    """What the SQL front end says of statements over both tables."""
    made = "".join(f"CREATE TABLE {tables}.{table} {columns};" for table, columns in TABLES.items())
    return {str(edge) for edge in lineal.lineage(made + text, dialect="spark").edges}


def by_running(spark: Any, run: Callable[[], Any]) -> tuple[set[str], list[str]]:
    """What was captured, and what could not be."""
    with capture(spark, timeout=60) as captured:
        run()
    found = captured.extraction
    return {str(edge) for edge in found.edges}, [each.message for each in found.diagnostics]


def assert_gives(spark: Any, run: Callable[[], Any], edges: set[str]) -> None:
    """All of these are captured, no others, and nothing is said."""
    assert by_running(spark, run) == (edges, [])


def statement(spark: Any, name: str, tables: str, using: str = "") -> tuple[set[str], list[str]]:
    return by_running(spark, lambda: spark.sql(STATEMENTS[name].format(p=tables, u=using)))


def make(spark: Any, tables: str, using: str = "") -> None:
    """Both tables, new."""
    for table in (*TABLES, "made"):
        spark.sql(f"DROP TABLE IF EXISTS {tables}.{table}")
    for table, columns in TABLES.items():
        spark.sql(f"CREATE TABLE {tables}.{table} {columns} {using}")


def program(spark: Any, tables: str, provider: str = "") -> None:
    """The ways of a DataFrame into a table of a catalog, each into a column of its own kind."""
    from pyspark.sql import functions as F

    seen = spark.table(f"{tables}.seen")
    named = seen.select("id", F.col("n").alias("amount"), F.upper("k").alias("day"))
    made = seen.select("id", (F.col("n") + 1).alias("more")).writeTo(f"{tables}.made")
    (made.using(provider) if provider else made).createOrReplace()
    seen.select(F.col("n").alias("id"), (-F.col("n")).alias("more")).writeTo(
        f"{tables}.made"
    ).append()
    named.writeTo(f"{tables}.orders").overwrite(F.col("id") > 0)
    named.writeTo(f"{tables}.orders").overwritePartitions()
    added = named.select("day", "id", "amount").write.mode("append")
    (added.format(provider) if provider else added).saveAsTable(f"{tables}.orders")
    seen.select("n", "id", "k").write.insertInto(f"{tables}.orders")


def by_the_program(tables: str) -> set[str]:
    return {
        f"{tables}.seen.id -> {tables}.made.id  IDENTITY",
        f"{tables}.seen.n -> {tables}.made.id  IDENTITY",
        f"{tables}.seen.n -> {tables}.made.more  TRANSFORMATION",
        f"{tables}.seen.id -> {tables}.orders.id  IDENTITY",
        f"{tables}.seen.n -> {tables}.orders.id  IDENTITY",
        f"{tables}.seen.n -> {tables}.orders.amount  IDENTITY",
        f"{tables}.seen.id -> {tables}.orders.amount  IDENTITY",
        f"{tables}.seen.k -> {tables}.orders.day  IDENTITY, TRANSFORMATION",
        f"{tables}.orders.id => {tables}.orders  FILTER",
    }


def merge_by_frame(spark: Any, tables: str) -> None:
    from pyspark.sql import functions as F

    seen = spark.table(f"{tables}.seen").alias("s")
    merge = seen.mergeInto(f"{tables}.orders", F.expr("orders.id = s.id"))
    merge = merge.whenMatched(F.expr("s.n > 1")).update({"amount": F.expr("s.n + orders.amount")})
    merge.whenNotMatched().insert({"id": F.expr("s.id"), "day": F.expr("s.k")}).merge()


def by_the_merge(tables: str) -> set[str]:
    return edges_of(
        f"""MERGE INTO {tables}.orders USING {tables}.seen s ON orders.id = s.id
            WHEN MATCHED AND s.n > 1 THEN UPDATE SET amount = s.n + orders.amount
            WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.k)""",
        tables,
    )
