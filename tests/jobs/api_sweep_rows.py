"""Rows: filters, sorts, samples, duplicates, limits, in all their spellings."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders").drop("tags")
m = spark.table("raw.metrics")


def save(df, name):
    df.write.format("parquet").mode("overwrite").saveAsTable("dw." + name)


save(o.where(o.amount.isNotNull() & ~o.status.isin(["x", "y"])).select("order_id"), "r1")
save(o[o.amount > 3].select(o["order_id"]), "r2")
save(o.orderBy(["store", "amount"], ascending=[True, False]).limit(5).select("order_id"), "r3")
save(o.sort(F.col("amount").desc_nulls_last(), "store").offset(2).select("order_id"), "r4")
save(o.sortWithinPartitions("store").select("order_id"), "r5")
save(o.sampleBy("store", {"a": 0.1, "b": 0.2}, seed=1).select("order_id"), "r6")
save(o.drop_duplicates(["store", "status"]).select("amount"), "r7")
save(o.select("store", "status").dropDuplicates(), "r8")
train, test = o.select("order_id", "amount").randomSplit([0.8, 0.2], seed=42)
save(train, "r9")
save(test.filter("amount > 1"), "r10")
save(m.na.drop(how="all", subset=["cpu", "mem"]).select("host"), "r11")
save(m.dropna(thresh=2).select("host"), "r12")
save(m.repartitionByRange(3, "day").hint("broadcast").select("host"), "r13")
save(o.groupBy("store").agg(F.sum("amount").alias("s")).where("s > 10").orderBy("store"), "r14")
save(o.groupBy("store").agg(F.sum("amount").alias("s")).filter(F.col("s") > 10).select("store"), "r15")
save(o.filter(F.exists(F.array("amount", "discount"), lambda x: x > 1)).select("order_id"), "r16")
save(o.withColumn("big", F.col("amount") > 3).filter("big").drop("big").select("order_id", "qty"), "r17")
save(o.select("order_id", "amount").filter(F.col("store") == "a"), "r18")
save(o.select("order_id", F.col("amount").alias("a")).orderBy("store", "a"), "r19")
