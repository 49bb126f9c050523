"""Sessions cut from clicks by gaps, numbered and summed up."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F


class Sessionizer:
    GAP = 1800

    def __init__(self, key="customer_id", ts="ts"):
        self.key = key
        self.ts = ts
        self.window = Window.partitionBy(self.key).orderBy(self.ts)

    def __call__(self, df):
        return self.number(self.mark(df))

    def mark(self, df):
        gap = F.unix_timestamp(self.ts) - F.unix_timestamp(F.lag(self.ts).over(self.window))
        return df.withColumn("is_new", F.when(gap.isNull() | (gap > self.GAP), 1).otherwise(0))

    def number(self, df):
        return df.withColumn("session_no", F.sum("is_new").over(self.window)).drop("is_new")


spark = SparkSession.builder.getOrCreate()
cut = Sessionizer()(spark.table("raw.clicks"))
summary = cut.groupBy("customer_id", "session_no").agg(
    F.min("ts").alias("started"),
    F.count(F.when(F.col("kind") == "buy", True)).alias("buys"),
    F.first("url", ignorenulls=True).alias("landing"),
    F.expr("max_by(url, ts)").alias("exit"),
    F.sort_array(F.collect_list(F.struct("ts", "kind"))).alias("path"),
    F.approx_count_distinct("session_id").alias("raw_sessions"),
)
summary.write.saveAsTable("dw.sessions")
spark.table("raw.clicks").groupBy(F.date_trunc("hour", "ts").alias("hour"), "kind").agg(F.sum("value").alias("value")).select(
    "hour", "kind", "value"
).write.saveAsTable("dw.hourly")
