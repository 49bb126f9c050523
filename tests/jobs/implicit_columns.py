"""Columns that Spark names, and names with dots, spaces and other cases."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders")

o.groupBy("store").agg(F.sum("amount"), F.max(F.col("qty") * 2), F.countDistinct("status", "store")).toDF("store", "s", "m", "c").write.saveAsTable("dw.named")
g = o.groupBy("store").agg({"amount": "avg"})
g.select("store", F.col("avg(amount)").alias("mean")).write.saveAsTable("dw.mean")
o.select(F.upper("store"), o.amount + 1, F.col("qty").cast("string")).toDF("a", "b", "c").write.saveAsTable("dw.abc")
spaced = o.select(F.col("store").alias("Store Name"), F.col("amount").alias("net.amount"))
spaced.select(F.col("`Store Name`").alias("name"), F.col("`net.amount`").alias("net")).write.saveAsTable("dw.spaced")
o.select("ORDER_ID", F.col("Amount") * 2).withColumnRenamed("(Amount * 2)", "twice").write.saveAsTable("dw.cased")
o.groupBy("store").count().withColumnRenamed("count", "n").filter("n > 1").write.saveAsTable("dw.counted")
o.groupBy().max("amount").toDF("top").write.saveAsTable("dw.top")
o.selectExpr("*", "amount * qty AS value").drop("tags").select("order_id", "value").write.saveAsTable("dw.valued")
o.selectExpr("order_id", "CASE WHEN amount > 1 THEN store ELSE status END AS x", "cast(qty AS double) qty_d", "named_struct('a', amount, 'b', qty).b AS b").write.saveAsTable("dw.exprs")
