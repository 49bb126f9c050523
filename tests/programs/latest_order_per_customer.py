from pyspark.sql import SparkSession, functions as F, Window
spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")
customers = spark.table("raw.customers").withColumnRenamed("name", "customer_name")
joined = orders.join(customers, orders.customer_id == customers.customer_id, "left").drop(customers.customer_id)
w = Window.partitionBy("customer_id").orderBy(F.col("created_at").desc())
latest = joined.withColumn("rn", F.row_number().over(w)).filter(F.col("rn") == 1).drop("rn")
num = ["amount", "qty", "discount"]
for c in num:
    latest = latest.withColumn(f"{c}_filled", F.coalesce(F.col(c), F.lit(0)))
latest = latest.fillna(0).fillna("n/a")
aggs = [F.sum(f"{c}_filled").alias(f"total_{c}") for c in num] + [F.countDistinct("order_id").alias("n")]
out = latest.groupBy("customer_id", "customer_name", "country").agg(*aggs)
out = out.select(*[c for c in out.columns if c != "n"], (F.col("total_amount") / F.col("n")).alias("avg_ticket"))
out.write.mode("overwrite").saveAsTable("mart.latest")
