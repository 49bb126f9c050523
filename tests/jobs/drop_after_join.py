"""Joins that leave a column twice, and the ways to get rid of one of them."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders")
r = spark.table("raw.returns")
c = spark.table("raw.customers")

j1 = o.join(r, o.order_id == r.order_id, "left").drop(r.order_id).drop(r["amount"])
j1.select("order_id", "amount", "reason").write.saveAsTable("dw.j1")

r2 = r.withColumnRenamed("order_id", "oid").withColumnRenamed("amount", "returned")
j2 = o.join(r2, o["order_id"] == r2["oid"], how="inner").drop("oid", "tags")
j2.groupBy("store").agg(F.sum("returned").alias("returned"), F.sum("amount").alias("sold")).write.saveAsTable("dw.j2")

j3 = o.alias("o").join(c.alias("c"), (F.col("o.customer_id") == F.col("c.customer_id")) & (F.col("c.segment") != "x"), "left")
j3.select("o.*", "c.country", "c.email").drop("tags", "product_id").write.saveAsTable("dw.j3")

j4 = o.join(r, "order_id").select(o.order_id, o.amount.alias("gross"), r.amount.alias("back")).withColumn("net", F.col("gross") - F.col("back"))
j4.where(F.col("net") > 0).select("order_id", "net").write.saveAsTable("dw.j4")

j5 = o.select("order_id", "customer_id").join(c.select("customer_id", "country"), on=["customer_id"], how="leftouter")
j5 = j5.join(r.select("order_id", "reason"), ["order_id"], "outer").join(spark.table("s3_geo") if False else c.select("country").distinct(), "country")
j5.write.saveAsTable("dw.j5")
