"""Columns and windows built in nested loops."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
metrics = spark.table("raw.metrics")
measures = ["cpu", "mem"]
windows = {"week": 6, "month": 29}

base = Window.partitionBy("host").orderBy(F.col("day").cast("timestamp").cast("long"))
df = metrics
for name, days in windows.items():
    over = base.rangeBetween(-days * 86400, 0)
    for i, measure in enumerate(measures):
        df = df.withColumn(f"{measure}_{name}", F.avg(measure).over(over))
        if i == 0:
            df = df.withColumn(f"{measure}_{name}_peak", F.max(measure).over(over))

features = [c for c in df.columns if any(c.startswith(m + "_") for m in measures)]
exprs = []
for feature in features:
    source, *rest = feature.split("_")
    exprs.append((F.col(source) - F.col(feature)).alias("_".join(["delta", source, *rest])))
df.select("host", "day", *exprs).write.saveAsTable("dw.features")

lags = metrics
n = 1
while n <= 3:
    lags = lags.withColumn("cpu_lag_%d" % n, F.lag("cpu", n).over(Window.partitionBy("host").orderBy("day")))
    n += 1
lags.drop("mem", "disk").write.saveAsTable("dw.lags")
