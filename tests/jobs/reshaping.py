"""Pivots, unpivots, rollups and stacks."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
clicks = spark.table("raw.clicks")
kinds = ["view", "buy"]

clicks.groupBy("session_id").pivot("kind", kinds).agg(
    F.sum("value").alias("total"), F.max("ts").alias("last")
).write.saveAsTable("dw.session_kinds")
clicks.groupBy("session_id").pivot("kind", kinds).count().na.fill(0).write.saveAsTable("dw.session_counts")

metrics = spark.table("raw.metrics")
long = metrics.unpivot(["host", "day"], ["cpu", "mem", "disk"], "metric", "reading")
long.groupBy("host", "metric").agg(F.max("reading").alias("peak")).write.saveAsTable("dw.peaks")
metrics.selectExpr("host", "stack(2, 'cpu', cpu, 'mem', mem) as (metric, reading)").write.saveAsTable("dw.stacked")

orders = spark.table("raw.orders")
orders.rollup("store", "status").agg(
    F.sum("amount").alias("amount"), F.grouping("store").alias("all_stores")
).write.saveAsTable("dw.rolled")
orders.cube("store", F.year("placed_at").alias("year")).agg({"amount": "sum", "qty": "avg"}).write.saveAsTable(
    "dw.cubed"
)
orders.groupBy("store").sum("amount", "qty").toDF("store", "amount", "qty").write.saveAsTable("dw.store_sums")
