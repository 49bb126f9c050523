"""Names with a part that only the environment knows; the columns are known all the same."""

import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ENV = os.environ.get("ENV", "dev")
DAY = sys.argv[1] if len(sys.argv) > 1 else "2024-01-01"
spark = SparkSession.builder.getOrCreate()

orders = spark.table("raw.orders").where(F.to_date("placed_at") == F.lit(DAY))
out = orders.groupBy("store").agg(F.sum("amount").alias("amount")).withColumn("day", F.lit(DAY))
out.write.mode("overwrite").saveAsTable(f"{ENV}_marts.daily")
out.write.mode("overwrite").parquet(f"s3://lake/{ENV}/daily/day={DAY}")
