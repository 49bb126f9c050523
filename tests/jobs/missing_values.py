"""Nulls filled, dropped and replaced."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders").drop("tags")
defaults = {"discount": 0.0, "status": "unknown"}

orders.fillna(defaults).select("order_id", "discount", "status").write.saveAsTable("dw.filled")
orders.na.fill(0).select("order_id", "qty", "store").write.saveAsTable("dw.zeros")
orders.na.fill("none").select("order_id", "store").write.saveAsTable("dw.texts")
orders.dropna(how="any", subset=["customer_id", "amount"]).select("order_id").write.saveAsTable("dw.whole")
orders.replace(["N/A", ""], None, subset=["store"]).select("store", "status").write.saveAsTable("dw.replaced")
orders.na.replace({"paid": "P", "open": "O"}, subset=["status"]).select("order_id", "status").write.saveAsTable(
    "dw.short"
)
orders.select("store", "qty").dropna().write.saveAsTable("dw.no_nulls")
orders.withColumn("qty", F.coalesce("qty", F.lit(1))).withColumn(
    "unit", F.nanvl(F.col("amount"), F.lit(0.0)) / F.col("qty")
).select("order_id", "unit").write.saveAsTable("dw.units")
