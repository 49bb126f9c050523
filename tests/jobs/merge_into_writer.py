"""The MERGE of Spark's own DataFrames."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
source = spark.table("raw.orders").groupBy("customer_id").agg(F.sum("amount").alias("total"), F.max("placed_at").alias("last_order"))
(
    source.alias("s")
    .mergeInto("dw.totals", F.expr("s.customer_id = dw.totals.customer_id"))
    .whenMatched(F.col("s.total") > 0)
    .update({"total": F.col("totals.total") + F.col("s.total"), "last_order": F.col("s.last_order")})
    .whenNotMatched()
    .insertAll()
    .whenNotMatchedBySource(F.col("totals.last_order") < "2020-01-01")
    .delete()
    .merge()
)
