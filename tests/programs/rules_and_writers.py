import logging
from typing import Dict, List, Optional
from pyspark.sql import SparkSession, DataFrame, Column
from pyspark.sql import functions as F
from pyspark.sql import Window

log = logging.getLogger(__name__)

RULES: Dict[str, dict] = {
    "region": {"fn": "upper", "default": "UNKNOWN"},
    "status": {"fn": "trim", "default": "none"},
}

def apply_rule(name: str, rule: dict) -> Column:
    fn = getattr(F, rule["fn"])
    return F.when(F.col(name).isNull(), F.lit(rule["default"])).otherwise(fn(F.col(name))).alias(name)

def normalise(df: DataFrame, rules=RULES) -> DataFrame:
    exprs = []
    for c in df.columns:
        if c in rules:
            exprs.append(apply_rule(c, rules[c]))
        else:
            exprs.append(F.col(c))
    return df.select(exprs)

def with_metrics(df: DataFrame, metrics: Optional[List[str]] = None, **kw) -> DataFrame:
    metrics = metrics or ["sum", "avg"]
    by = kw.pop("by", ["region"])
    col = kw["column"]
    return df.groupBy(*by).agg(*(getattr(F, m)(col).alias("_".join([m, col])) for m in metrics))

def safe_divide(a, b):
    return F.when(b != 0, a / b)

class Writer:
    MODE = "overwrite"
    def __init__(self, db):
        self.db = db
    def __call__(self, df, name):
        log.info("writing %s", name)
        df.write.mode(self.MODE).saveAsTable("{}.{}".format(self.db, name))

def main():
    spark = SparkSession.builder.getOrCreate()
    write = Writer("mart")
    base = normalise(spark.table("raw.orders"))
    write(base.select("order_id", "region", "status"), "rules_norm")
    m = with_metrics(base, column="amount", by=["region", "status"])
    m = m.withColumn("ratio", safe_divide(F.col("sum_amount"), F.col("avg_amount")))
    write(m, "rules_metrics")
    datasets = {n: spark.table("raw." + n) for n in ("orders", "returns")}
    o, r = datasets["orders"], datasets["returns"]
    cond = [o["order_id"] == r["order_id"], o.amount >= r.amount]
    j = o.join(r, cond, "inner").select(o["order_id"], r.reason, (o.amount - r.amount).alias("kept"))
    write(j, "rules_join")
    total = j.agg(F.sum("kept").alias("t"), F.count(F.lit(1)).alias("n"))
    write(j.crossJoin(total).withColumn("share", F.col("kept") / F.col("t")), "rules_share")
    keys = ["order_id"]
    dup = j.groupBy(keys).count().filter("count > 1").drop("count")
    write(j.join(dup, keys, "left_anti"), "rules_dups")
    i = 0
    acc = None
    while i < 3:
        part = o.filter(F.col("qty") == i).select("order_id", F.lit(i).alias("bucket"))
        acc = part if acc is None else acc.union(part)
        i += 1
    write(acc, "rules_buckets")
    try:
        extra = spark.table("raw.products")
    except Exception as e:
        log.error(e)
        raise
    best = extra.withColumn("margin", F.col("price") - F.col("cost")).orderBy(F.col("margin").desc()).limit(5)
    write(best.select(F.concat_ws("-", "category", "name").alias("label"), "margin"), "rules_best")

if __name__ == "__main__":
    main()
