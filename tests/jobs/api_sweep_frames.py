"""Whole DataFrames: statistics, shapes, views, catalog."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders").drop("tags")
m = spark.table("raw.metrics")


def save(df, name):
    df.write.saveAsTable(f"dw.f_{name}")


save(m.melt(ids=["host"], values=["cpu", "mem"], variableColumnName="k", valueColumnName="v"), "melt")
save(m.unpivot("host", ["cpu", "disk"], "k", "v").groupBy("host").pivot("k", ["cpu", "disk"]).agg(F.avg("v")), "back")
save(m.toDF("h", "d", "c", "m", "x").select("h", "x"), "todf")
save(m.select("host").withColumn("n", F.lit(1)).union(m.select(F.upper("host"), F.lit(2))), "union")
save(m.select("host", "cpu").intersectAll(m.select("host", "mem")), "intersect")
m.createOrReplaceGlobalTempView("gm")
save(spark.sql("SELECT host, max(cpu) AS c FROM global_temp.gm GROUP BY host"), "global")
save(spark.table("global_temp.gm").select("mem"), "global2")
DataFrame.createOrReplaceTempView(m, "lm")
save(spark.sql("SELECT * FROM lm").selectExpr("host as h", "cpu + mem as load"), "local")
spark.catalog.dropTempView("lm")
save(o.transform(lambda d: d.select("order_id")).transform(lambda d: d.withColumn("x", F.col("order_id") % 7)), "transform")
if spark.catalog.tableExists("raw.orders"):
    save(spark.read.table("raw.orders").select("store"), "read")
save(o.withColumns({"a": F.col("amount") + 1, "b": F.col("qty") + 1}).select("a", "b"), "with")
save(o.withColumnsRenamed({"amount": "a", "nope": "x", "qty": "b"}).select("a", "b", "store"), "renamed")
save(o.drop("nope", "store").select("status"), "dropped")
save(o.select("store", "amount").groupBy("store").pivot("store", ["a", "b"]).max("amount"), "pivot")
save(o.cube("store").count(), "cube")
save(o.rollup("store", "status").sum("amount").filter("store IS NOT NULL"), "rollup")
left = o.select("order_id", "amount", "store")
right = o.select("order_id", "qty").withColumnRenamed("order_id", "id")
save(left.join(right, left.order_id == right.id, "right").drop("id"), "right")
save(left.join(right.withColumnRenamed("id", "order_id"), "order_id", "full_outer").na.fill({"qty": 0}), "full")
save(left.join(o.select("order_id"), ["order_id"], "left_anti"), "anti")
save(left.checkpoint() if False else left.cache().coalesce(1), "cached")
save(left.replace({"a": "b"}, subset=["store"]).select("store"), "replaced")
save(left.fillna("x").fillna(0.0).select("store", "amount"), "filled")
for i, part in enumerate(o.select("order_id", "amount").randomSplit([0.5, 0.5])):
    save(part, f"part_{i}")
