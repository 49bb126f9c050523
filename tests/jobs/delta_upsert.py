"""Upserts and history with Delta's own API."""

from delta.tables import DeltaTable
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def upsert(target, source, keys):
    table = DeltaTable.forName(spark, target)
    condition = " AND ".join(f"t.{key} = s.{key}" for key in keys)
    values = {c: f"s.{c}" for c in source.columns if c not in keys}
    (
        table.alias("t")
        .merge(source.alias("s"), condition)
        .whenMatchedUpdate(condition="s.last_order > t.last_order", set=values)
        .whenNotMatchedInsertAll()
        .execute()
    )


totals = spark.table("raw.orders").groupBy("customer_id").agg(F.sum("amount").alias("total"), F.max("placed_at").alias("last_order"))
upsert("dw.totals", totals, ["customer_id"])

changes = spark.table("raw.customers").select("customer_id", F.lower("email").alias("email"), "country", "signup_date")
history = DeltaTable.forName(spark, "dw.dim_customer")
(
    history.alias("h")
    .merge(changes.alias("c"), (F.col("h.customer_id") == F.col("c.customer_id")) & F.col("h.is_current"))
    .whenMatchedUpdate(F.col("h.email") != F.col("c.email"), {"valid_to": F.col("c.signup_date"), "is_current": F.lit(False)})
    .whenNotMatchedInsert(values={"customer_id": "c.customer_id", "email": "c.email", "country": "c.country", "is_current": "true"})
    .execute()
)
history.update(F.col("valid_to") < F.current_date(), {"is_current": F.lit(False)})
history.delete("country IS NULL")
