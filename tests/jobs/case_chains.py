"""Bands and labels by chains of when."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
BANDS = [(10, "small"), (100, "medium"), (1000, "large")]


def band(column, bands, default="huge"):
    chain = F
    for limit, label in bands:
        chain = chain.when(column < limit, F.lit(label))
    return chain.otherwise(default)


labels = {"US": "Americas", "DE": "Europe", "FR": "Europe"}
mapping = F.create_map(*[F.lit(part) for pair in labels.items() for part in pair])

orders = spark.table("raw.orders")
customers = spark.table("raw.customers")
out = (
    orders.join(F.broadcast(customers), "customer_id")
    .withColumn("size", band(F.col("amount"), BANDS))
    .withColumn("market", F.coalesce(mapping[F.col("country")], F.lit("Other")))
    .withColumn("net", F.expr("CASE WHEN discount IS NULL THEN amount ELSE amount - discount END"))
    .withColumn(
        "vip", (F.col("segment") == "vip") | ((F.col("amount") > 500) & ~F.col("status").isin("returned", "lost"))
    )
    .select("order_id", "size", "market", "net", "vip", F.nullif("store", F.lit("")).alias("store"))
)
out.write.format("parquet").mode("overwrite").save("s3a://lake/gold/labelled_orders")
