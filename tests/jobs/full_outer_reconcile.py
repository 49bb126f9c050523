"""Two sources reconciled by a full outer join on several keys."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
KEYS = ["order_id"]
orders = spark.table("raw.orders").select("order_id", "amount", "status")
returns = spark.table("raw.returns").select("order_id", "amount", F.col("reason").alias("status"))

both = orders.alias("l").join(returns.alias("r"), KEYS, "full")
compared = [c for c in orders.columns if c not in KEYS]
checks = [F.col(f"l.{c}").eqNullSafe(F.col(f"r.{c}")).alias(f"{c}_same") for c in compared]
picked = [F.coalesce(F.col(f"l.{c}"), F.col(f"r.{c}")).alias(c) for c in compared]
both.select(*KEYS, *picked, *checks).write.saveAsTable("dw.reconciled")

right = orders.join(returns.withColumnRenamed("amount", "back"), ["order_id", "status"], "right_outer")
right.write.saveAsTable("dw.right_side")

cond = [orders.order_id == returns.order_id, orders.amount >= returns.amount]
orders.join(returns, cond, "left_semi").write.saveAsTable("dw.fully_returned")
orders.crossJoin(spark.table("raw.rates").select("currency", "rate")).withColumn(
    "local", F.col("amount") * F.col("rate")
).write.saveAsTable("dw.all_currencies")
