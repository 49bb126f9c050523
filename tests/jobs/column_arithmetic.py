"""Columns chosen by what a DataFrame has."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")
returns = spark.table("raw.returns")

common = sorted(set(orders.columns) & set(returns.columns))
only_orders = [c for c in orders.columns if c not in returns.columns]

prefixed = returns.select(*[F.col(c).alias(f"ret_{c}") for c in returns.columns])
wide = orders.select(*common, *only_orders[:3]).join(prefixed, F.col("order_id") == F.col("ret_order_id"), "left")
wide.drop("ret_order_id").write.saveAsTable("dw.wide_returns")

strings = [f.name for f in orders.schema.fields if f.dataType.typeName() == "string"]
clean = orders
for name in strings:
    clean = clean.withColumn(name, F.trim(F.col(name)))
clean.select([c for c in clean.columns if not c.endswith("_id")]).write.saveAsTable("dw.clean_orders")

nulls = orders.select([F.sum(F.col(c).isNull().cast("int")).alias(c) for c in orders.columns if c != "tags"])
nulls.write.saveAsTable("dw.order_nulls")
