"""The last row of each key, and what came before it."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

newest = Window.partitionBy("customer_id").orderBy(F.col("placed_at").desc(), F.col("order_id").desc())
history = Window.partitionBy("customer_id").orderBy("placed_at")
running = history.rowsBetween(Window.unboundedPreceding, Window.currentRow)

orders = spark.table("raw.orders")
latest = orders.withColumn("rn", F.row_number().over(newest)).filter("rn = 1").drop("rn")
latest.select("customer_id", "order_id", "amount").write.saveAsTable("dw.latest_order")

paced = (
    orders.withColumn("previous", F.lag("placed_at").over(history))
    .withColumn("gap", F.datediff("placed_at", "previous"))
    .withColumn("spent_so_far", F.sum("amount").over(running))
    .withColumn("place", F.rank().over(Window.partitionBy("store").orderBy(F.desc("amount"))))
    .withColumn("share", F.col("amount") / F.sum("amount").over(Window.partitionBy("store")))
    .select("order_id", "gap", "spent_so_far", "place", "share")
)
paced.write.mode("append").saveAsTable("dw.order_pace")
