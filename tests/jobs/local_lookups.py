"""Small local DataFrames joined to tables, and ranges of dates."""

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

spark = SparkSession.builder.getOrCreate()
regions = spark.createDataFrame([("DE", "EU", 1), ("US", "NA", 2)], ["country", "region", "rank"])
ranks = spark.createDataFrame([Row(segment="vip", weight=3), Row(segment="std", weight=1)])
empty = spark.createDataFrame([], StructType([StructField("country", StringType()), StructField("bonus", IntegerType())]))

customers = spark.table("raw.customers")
out = (
    customers.join(F.broadcast(regions), "country", "left")
    .join(ranks, customers.segment == ranks.segment, "left")
    .join(empty, on="country", how="left")
    .select("customer_id", "region", (F.col("rank") * F.col("weight") + F.coalesce("bonus", F.lit(0))).alias("score"), customers.segment)
)
out.write.saveAsTable("dw.scored_customers")

days = spark.range(0, 31).select(F.expr("date_add(DATE'2024-01-01', CAST(id AS INT))").alias("day"))
hosts = spark.table("raw.metrics").select("host").distinct()
grid = days.crossJoin(hosts).join(spark.table("raw.metrics"), ["day", "host"], "left").fillna({"cpu": 0.0})
grid.select("day", "host", "cpu").write.saveAsTable("dw.grid")
