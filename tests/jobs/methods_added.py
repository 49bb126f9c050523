from pyspark.sql import DataFrame, Column, SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def latest(self, *keys, by):
    w = Window.partitionBy(*keys).orderBy(F.col(by).desc())
    return self.withColumn("__rn", F.row_number().over(w)).where("__rn = 1").drop("__rn")


def prefix(self, p, skip=()):
    return self.select([F.col(c).alias(c if c in skip else p + c) for c in self.columns])


def pct(self, other):
    return F.round(self / other * 100, 1)


DataFrame.latest = latest
DataFrame.prefix = prefix
Column.pct = pct

clicks = spark.table("raw.clicks").latest("customer_id", by="ts").prefix("last_", skip=["customer_id"])
orders = spark.table("raw.orders").groupBy("customer_id").agg(F.sum("amount").alias("amount"), F.sum("discount").alias("discount"))
out = orders.join(clicks, "customer_id", "left").withColumn("disc_pct", F.col("discount").pct(F.col("amount")))
out.select("customer_id", "last_url", "last_kind", "disc_pct").write.mode("overwrite").saveAsTable("dw.patched")

how = "left"
steps = [("where", ["amount > 10"]), ("select", ["customer_id", "amount"]), ("distinct", []), ("withColumnRenamed", ["amount", "big_amount"])]
df = orders
for method, args in steps:
    df = getattr(df, method)(*args)
df.write.mode("overwrite").saveAsTable("dw.by_getattr")

FUNCS = ["min", "max", "avg"]
spark.table("raw.metrics").groupBy("host").agg(*[getattr(F, f)(c).alias(f"{f}_{c}") for f in FUNCS for c in ("cpu", "mem")]).write.mode("overwrite").saveAsTable("dw.metric_funcs")
