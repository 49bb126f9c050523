"""Unions, columns and conditions folded with reduce."""

import operator
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

years = range(2022, 2024)
parts = [spark.table(f"raw.sales_{year}").withColumn("year", F.lit(year)) for year in years]
sales = reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), parts)

tidy = reduce(
    lambda df, step: df.withColumn(step[0], step[1]),
    [("region", F.upper("region")), ("amount", F.round("amount", 2)), ("is_web", F.col("channel") == "web")],
    sales,
)
tidy.write.mode("overwrite").saveAsTable("dw.sales")

metrics = spark.table("raw.metrics")
numbers = [name for name, kind in metrics.dtypes if kind == "double"]
busy = reduce(operator.or_, [F.col(name) > 0.9 for name in numbers])
load = reduce(lambda total, name: total + F.col(name), numbers[1:], F.col(numbers[0]))
metrics.where(busy).select("host", "day", (load / len(numbers)).alias("load")).write.saveAsTable("dw.busy_hosts")

thin = [df.select("id", "region") for df in parts]
reduce(DataFrame.unionAll, thin).distinct().write.saveAsTable("dw.sale_regions")
