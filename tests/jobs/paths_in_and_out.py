"""Files read with schemas and options, joined and written by path; what was written is read again."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

spark = SparkSession.builder.getOrCreate()
LAKE = "s3://lake"
LANDING, CURATED = f"{LAKE}/landing", f"{LAKE}/curated"

geo_schema = StructType(
    [StructField("country", StringType()), StructField("continent", StringType()), StructField("vat", DoubleType())]
)
geo = spark.read.option("header", True).schema(geo_schema).csv(f"{LANDING}/geo")
clicks = spark.read.format("parquet").load(LANDING + "/clicks")
customers = spark.table("raw.customers").select("customer_id", "country")

located = clicks.join(customers, "customer_id").join(geo, on=["country"], how="left")
located.select("session_id", "continent", (F.col("value") * (1 + F.col("vat"))).alias("gross")).write.mode(
    "overwrite"
).parquet(f"{CURATED}/located")
again = spark.read.parquet("s3a://lake/curated/located/")
again.groupBy("continent").agg(F.sum("gross").alias("gross")).coalesce(1).write.json(
    path=CURATED + "/by_continent", mode="overwrite"
)
