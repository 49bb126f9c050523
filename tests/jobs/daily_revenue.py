"""Paid orders summed up by store and day."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("daily-revenue").getOrCreate()

orders = spark.table("raw.orders").filter(F.col("status") == "paid")
daily = (
    orders.withColumn("day", F.to_date("placed_at"))
    .groupBy("store", "day")
    .agg(
        F.sum(F.col("amount") - F.coalesce(F.col("discount"), F.lit(0.0))).alias("revenue"),
        F.countDistinct("customer_id").alias("buyers"),
        F.count("*").alias("orders"),
    )
    .orderBy("day", F.desc("revenue"))
)
daily.write.mode("overwrite").partitionBy("day").saveAsTable("dw.daily_revenue")
