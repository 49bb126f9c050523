"""Sums the orders of a day."""

import argparse
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

parser = argparse.ArgumentParser()
parser.add_argument("--day", default="2026-11-16")
day = parser.parse_args().day

builder = SparkSession.builder.appName("daily").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.warehouse.dir", tempfile.mkdtemp()).getOrCreate()
orders = spark.createDataFrame(
    [("2026-11-15", 10.5), ("2026-11-16", 20.0)], "day string, amount double"
)
orders.write.saveAsTable("orders")

daily = (
    spark.table("orders")
    .where(F.col("day") == day)
    .groupBy("day")
    .agg(F.sum("amount").alias("total"))
)
daily.write.saveAsTable("daily")
spark.stop()
