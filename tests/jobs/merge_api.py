"""An upsert by SQL whose statement is put together from the columns of a DataFrame."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def upsert(df, target, keys, spark):
    df.createOrReplaceTempView("updates")
    on = " AND ".join(f"t.{key} = s.{key}" for key in keys)
    values = [c for c in df.columns if c not in keys]
    assignments = ", ".join(f"t.{c} = s.{c}" for c in values)
    columns = ", ".join(df.columns)
    inserted = ", ".join(f"s.{c}" for c in df.columns)
    spark.sql(
        f"MERGE INTO {target} t USING updates s ON {on} "
        f"WHEN MATCHED AND s.last_order > t.last_order THEN UPDATE SET {assignments} "
        f"WHEN NOT MATCHED THEN INSERT ({columns}) VALUES ({inserted})"
    )


totals = (
    spark.table("raw.orders")
    .where(F.col("status").isin(["paid", "sent"]))
    .groupBy("customer_id")
    .agg(F.sum("amount").alias("total"), F.max("placed_at").alias("last_order"))
)
upsert(totals, "dw.totals", ["customer_id"], spark)
