"""Names used again: columns that replace themselves, variables that are bound anew, views that are replaced."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
df = spark.table("raw.orders")
first = df
df = df.withColumn("amount", F.col("amount") * F.col("qty"))
df = df.withColumn("amount", F.round(F.col("amount") - F.coalesce("discount", F.lit(0)), 2)).withColumn("qty", F.lit(1))
df.createOrReplaceTempView("v")
spark.sql("SELECT order_id, amount, qty FROM v").write.saveAsTable("dw.v1")

df = spark.sql("SELECT order_id, store AS amount FROM v WHERE amount > 0")
df.createOrReplaceTempView("v")
spark.table("v").write.saveAsTable("dw.v2")

joined = first.alias("f").join(df.alias("d"), F.col("f.order_id") == F.col("d.order_id"))
joined = joined.select("f.order_id", "f.amount", F.col("d.amount").alias("store_name"))
joined.write.saveAsTable("dw.v3")
x, y = first.select("order_id", "status"), first.select("order_id", "store")
x, y = y, x
x.join(y, "order_id").write.saveAsTable("dw.v4")
first.select("order_id", F.col("status").alias("Store"), F.col("store").alias("STATUS")).write.saveAsTable("dw.v5")
