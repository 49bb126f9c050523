"""Values of one DataFrame used in another, by joins and by subqueries in SQL."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")

overall = orders.agg(F.avg("amount").alias("mean"), F.stddev("amount").alias("sd"))
scored = orders.crossJoin(F.broadcast(overall)).withColumn("z", (F.col("amount") - F.col("mean")) / F.col("sd"))
scored.select("order_id", "z").write.saveAsTable("dw.scores")

orders.createOrReplaceTempView("o")
spark.sql("""
    SELECT c.customer_id,
           (SELECT max(o.amount) FROM o WHERE o.customer_id = c.customer_id) AS best,
           c.country IN (SELECT region FROM raw.sales_2023) AS known
    FROM raw.customers c
    WHERE EXISTS (SELECT 1 FROM raw.returns r JOIN o ON o.order_id = r.order_id WHERE o.customer_id = c.customer_id)
""").write.saveAsTable("dw.returners")
orders.filter("customer_id IN (SELECT customer_id FROM raw.clicks WHERE kind = 'buy')").select(
    "order_id"
).write.saveAsTable("dw.clicked")
