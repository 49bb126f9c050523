"""First and last touch before a purchase, and the share of each channel."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
clicks = spark.table("raw.clicks").alias("k")
orders = spark.table("raw.orders").alias("o")

touches = clicks.join(
    orders,
    on=[F.col("k.customer_id") == F.col("o.customer_id"), F.col("k.ts").between(F.col("o.placed_at") - F.expr("INTERVAL 7 DAYS"), F.col("o.placed_at"))],
).select("o.order_id", "o.amount", "k.ts", F.regexp_extract("k.url", r"utm_source=(\w+)", 1).alias("channel"))

by_order = Window.partitionBy("order_id")
ordered = by_order.orderBy("ts")
whole = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
attributed = (
    touches.withColumn("first_touch", F.first("channel").over(whole))
    .withColumn("last_touch", F.last("channel").over(whole))
    .withColumn("n", F.count("*").over(by_order))
    .withColumn("linear", F.col("amount") / F.col("n"))
    .withColumn("position", F.ntile(4).over(ordered))
)
for model in ("first_touch", "last_touch"):
    attributed.dropDuplicates(["order_id"]).groupBy(F.col(model).alias("channel")).agg(
        F.sum("amount").alias("revenue")
    ).write.saveAsTable(f"dw.attribution_{model}")
attributed.groupBy("channel").agg(F.sum("linear").alias("revenue"), F.max("position").alias("deepest")).write.saveAsTable("dw.attribution_linear")
