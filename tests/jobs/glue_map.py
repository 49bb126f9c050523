"""AWS Glue: catalog frames, ApplyMapping, Map and Relationalize."""

import sys
from awsglue.transforms import ApplyMapping, DropNullFields, Map, Relationalize
from awsglue.utils import getResolvedOptions
from awsglue.context import GlueContext
from awsglue.dynamicframe import DynamicFrame
from pyspark.context import SparkContext
from pyspark.sql import functions as F

args = getResolvedOptions(sys.argv, ["JOB_NAME"])
glue = GlueContext(SparkContext.getOrCreate())
spark = glue.spark_session

orders = glue.create_dynamic_frame.from_catalog(database="raw", table_name="orders")


def add_total(rec):
    rec["total"] = rec["amount"] * rec["qty"]
    del rec["discount"]
    return rec


mapped = Map.apply(frame=orders, f=add_total)
slim = ApplyMapping.apply(
    frame=mapped,
    mappings=[("order_id", "long", "id", "long"), ("total", "double", "total", "decimal(10,2)")],
)
glue.write_dynamic_frame.from_options(
    frame=slim,
    connection_type="s3",
    connection_options={"path": "s3://out/slim/"},
    format="parquet",
)

df = orders.toDF().groupBy("store").agg(F.sum("amount").alias("amount"))
glue.write_dynamic_frame.from_catalog(
    frame=DynamicFrame.fromDF(df, glue, "x"), database="dw", table_name="store_totals"
)
