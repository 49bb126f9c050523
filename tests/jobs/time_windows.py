"""Windows of time: tumbling, sliding and of sessions. That a row without a time is in none is no filter."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
clicks = spark.table("raw.clicks").where("value > 0")

hourly = clicks.groupBy(F.window("ts", "1 hour"), "kind").agg(F.sum("value").alias("total"))
hourly.select("window.start", "kind", "total").write.saveAsTable("dw.hourly")

sliding = clicks.groupBy(F.window("ts", "70 minutes", "30 minutes").alias("span")).agg(F.count("*").alias("n"))
sliding.where("n > 1").select("span", "n").write.saveAsTable("dw.sliding")

visits = clicks.groupBy("customer_id", F.session_window("ts", "15 minutes").alias("visit")).agg(
    F.max("value").alias("best")
)
visits.select("customer_id", F.col("visit.end").alias("left_at"), "best").write.saveAsTable("dw.visits")

ends = clicks.groupBy(F.window("ts", "1 day")).count().where(F.col("window.start") > "2024-01-01")
ends.select(F.window_time("window").alias("last_moment"), "count").write.saveAsTable("dw.ends")
