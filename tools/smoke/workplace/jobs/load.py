"""Copies the orders of today."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("orders").where(F.col("day") == F.current_date())
orders.select("id", F.round("amount", 1).alias("amount")).write.saveAsTable("todays_orders")
