"""A job on a cluster that also asks lineal about a DataFrame; Spark's own functions are all that
its workers call.
"""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import lineal
import lineal.spark

spark = SparkSession.builder.appName("cluster").getOrCreate()
orders = spark.createDataFrame(
    [("2026-11-15", 10.5), ("2026-11-16", 20.0)], "day string, amount double"
)
orders.write.mode("overwrite").saveAsTable("cluster_orders")
daily = spark.table("cluster_orders").groupBy("day").agg(F.sum("amount").alias("total"))

found = lineal.spark.lineage(daily, target="cluster_daily")
assert isinstance(found, lineal.Lineage)
assert "cluster_orders.amount -> cluster_daily.total  AGGREGATION" in map(str, found.edges)
assert spark.sparkContext.master.startswith(("spark:", "local")) and daily.count() == 2

daily.write.mode("overwrite").saveAsTable("cluster_daily")
spark.stop()
