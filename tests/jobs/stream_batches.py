"""A stream whose batches are written by a function, and one that goes straight into a table."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def write_batch(batch, batch_id):
    batch.persist()
    totals = batch.groupBy("customer_id").agg(F.count("*").alias("n"), F.max("ts").alias("seen"))
    totals.write.mode("append").saveAsTable("dw.batches")
    batch.where("kind = 'error'").select("session_id").write.mode("append").saveAsTable("dw.errors")
    batch.unpersist()


clicks = spark.readStream.table("raw.clicks").withWatermark("ts", "10 minutes").dropDuplicates(["session_id"])
clicks.writeStream.foreachBatch(write_batch).option("checkpointLocation", "/tmp/c").trigger(availableNow=True).start().awaitTermination()
clicks.select("customer_id", F.upper("url").alias("url")).writeStream.outputMode("append").toTable("dw.stream_out")
