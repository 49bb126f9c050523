"""Rules of quality applied to a table: bad rows go aside with their reasons."""

from collections import OrderedDict, namedtuple

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

Check = namedtuple("Check", ["name", "condition", "severity"])
CHECKS = [
    Check("amount_positive", "amount > 0", "error"),
    Check("known_status", "status IN ('paid', 'open', 'sent')", "warn"),
    Check(name="has_customer", condition="customer_id IS NOT NULL", severity="error"),
]


def failed(check):
    return F.when(~F.expr(check.condition), F.lit(check.name))


def split(df, checks):
    errors = [c for c in checks if c.severity == "error"]
    marked = df.withColumn("_failed", F.array_compact(F.array(*[failed(c) for c in errors])))
    bad = marked.where(F.size("_failed") > 0)
    good = marked.where(F.size("_failed") == 0).drop("_failed")
    return good, bad


spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders").select("order_id", "customer_id", "status", "amount")
good, bad = split(orders, CHECKS)
good.write.mode("overwrite").saveAsTable("dw.orders_good")
bad.withColumnRenamed("_failed", "reasons").write.mode("overwrite").saveAsTable("dw.orders_bad")

stats = OrderedDict((c.name, F.avg(F.expr(c.condition).cast("int"))) for c in CHECKS)
orders.agg(*[e.alias(n) for n, e in stats.items()]).write.saveAsTable("dw.quality")
