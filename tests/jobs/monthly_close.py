"""A chain of tables, each read back from the catalogue, some appended by several statements."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def save(df, name, mode="overwrite", **options):
    writer = df.write.mode(mode)
    for key, value in options.items():
        writer = writer.option(key, value)
    writer.saveAsTable(f"dw.{name}")
    return spark.table(f"dw.{name}")


ledger = save(
    spark.table("raw.orders").select("order_id", F.trunc("placed_at", "month").alias("month"), F.col("amount").alias("value"), F.lit("sale").alias("kind")),
    "ledger",
    compression="snappy",
)
save(
    spark.table("raw.returns").select("order_id", F.trunc("returned_at", "month").alias("month"), (-F.col("amount")).alias("value"), F.lit("return").alias("kind")),
    "ledger",
    mode="append",
)
closing = save(ledger.groupBy("month").pivot("kind", ["sale", "return"]).sum("value"), "closing")
balance = closing.select("month", (F.coalesce(F.col("sale"), F.lit(0)) + F.coalesce(closing["return"], F.lit(0))).alias("balance"))
save(balance.orderBy(F.col("month").asc_nulls_last()), "balance")
spark.table("dw.balance").filter("balance < 0").writeTo("dw.losses").createOrReplace()
