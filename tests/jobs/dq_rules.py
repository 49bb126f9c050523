"""Data quality: rules as lambdas in dict; counts per rule; quarantine."""
import os
from collections import OrderedDict, defaultdict, namedtuple
from itertools import chain
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

Rule = namedtuple("Rule", ["name", "column", "check", "severity"])
spark = SparkSession.builder.getOrCreate()

RULES = [
    Rule("amount_positive", "amount", lambda c: c > 0, "error"),
    Rule("status_known", "status", lambda c: c.isin("new", "paid", "sent"), "error"),
    Rule("store_given", "store", lambda c: c.isNotNull() & (F.length(F.trim(c)) > 0), "warn"),
]
by_severity = defaultdict(list)
for r in RULES:
    by_severity[r.severity].append(r)

df = spark.table("raw.orders").drop("tags")
for r in RULES:
    df = df.withColumn(f"_dq_{r.name}", F.when(r.check(F.col(r.column)), F.lit(None)).otherwise(F.lit(r.name)))

error_cols = [f"_dq_{r.name}" for r in by_severity["error"]]
df = df.withColumn("_errors", F.array_compact(F.array(*error_cols)))
ok = df.filter(F.size("_errors") == 0)
bad = df.filter(F.size("_errors") > 0)

clean_cols = [c for c in df.columns if not c.startswith("_")]
ok.select(clean_cols).write.mode("overwrite").saveAsTable("dw.orders_ok")
bad.select("order_id", "_errors", F.current_date().alias("checked_on")).withColumnRenamed("_errors", "errors").write.mode("append").saveAsTable("dw.orders_quarantine")

summary_aggs = OrderedDict((f"n_{r.name}", F.count(F.col(f"_dq_{r.name}"))) for r in RULES)
df.agg(F.count("*").alias("n"), *[v.alias(k) for k, v in summary_aggs.items()]).write.mode("append").saveAsTable("dw.dq_summary")

null_counts = df.select(*[F.count(F.when(F.col(c).isNull(), c)).alias(c) for c in clean_cols])
pairs = list(chain.from_iterable((F.lit(c), F.col(c)) for c in clean_cols))
null_counts.select(F.explode(F.create_map(*pairs)).alias("column", "nulls")).write.mode("append").saveAsTable("dw.null_profile")
