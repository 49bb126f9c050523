"""A pipeline of Databricks: functions that are datasets, and rows that an expectation drops."""

import dlt
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
RULES = {"paid": "amount > 0", "known": "customer_id IS NOT NULL"}


@dlt.table(comment="what came in")
@dlt.expect("fresh", "placed_at > '2020-01-01'")
@dlt.expect_all_or_drop(RULES)
def bronze_orders():
    return spark.readStream.table("raw.orders").select("order_id", "customer_id", "amount", "placed_at")


@dlt.view
@dlt.expect_or_drop("positive", F.col("total") > 0)
def totals():
    return spark.sql("SELECT customer_id, sum(amount) AS total FROM LIVE.bronze_orders GROUP BY customer_id")


@dlt.table(name="gold_customers")
def gold():
    people = spark.table("raw.customers").select("customer_id", "email")
    return dlt.read("totals").join(people, "customer_id").join(spark.table("LIVE.bronze_orders"), "customer_id", "left_semi")
