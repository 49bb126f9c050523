"""What no reader can know: columns from data, from the command line, from a file. Nothing may be invented."""

import argparse
import json
import os

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
parser = argparse.ArgumentParser()
parser.add_argument("--column", default="amount")
parser.add_argument("--columns", nargs="*")
args = parser.parse_args()

orders = spark.table("raw.orders")
kinds = [row["status"] for row in orders.select("status").distinct().collect()]

orders.select("order_id", F.col(args.column).alias("chosen")).write.saveAsTable("dw.chosen")
orders.select(*args.columns).write.saveAsTable("dw.asked")
orders.groupBy("store").agg(*[F.sum(F.when(F.col("status") == kind, F.col("amount"))).alias(kind) for kind in kinds]).write.saveAsTable("dw.by_kind")
with open("rules.json") as file:
    rules = json.load(file)
checked = orders.select("order_id", "amount")
for rule in rules:
    checked = checked.withColumn(rule["name"], F.expr(rule["expression"]))
checked.write.saveAsTable("dw.checked")
orders.select([c for c in orders.columns if os.path.exists(f"/flags/{c}")]).write.saveAsTable("dw.flagged")
orders.rdd.map(lambda row: (row.order_id, row.amount)).toDF(["a", "b"]).write.saveAsTable("dw.mapped")
local = orders.select("order_id", "amount").collect()
spark.createDataFrame(local).write.saveAsTable("dw.local")
orders.transpose().write.saveAsTable("dw.transposed")
