from typing import Dict, List, Optional, Tuple, Union
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

ColumnOrName = Union[Column, str]


def to_col(c: ColumnOrName) -> Column:
    return F.col(c) if isinstance(c, str) else c


def safe_div(n: ColumnOrName, d: ColumnOrName, default=None) -> Column:
    n, d = to_col(n), to_col(d)
    return F.when(d.isNull() | (d == 0), F.lit(default)).otherwise(n / d)


def lags(cols: List[str], w, steps=(1, 7)) -> Dict[str, Column]:
    return {f"{c}_lag{s}": F.lag(c, s).over(w) for c in cols for s in steps}


def rolling(col: str, w, n: int, fn=F.avg) -> Column:
    return fn(col).over(w.rowsBetween(-n + 1, 0)).alias(f"{col}_{fn.__name__}{n}")


def split_name(df: DataFrame, col: str, names: Tuple[str, str]) -> DataFrame:
    parts = F.split(F.col(col), " ")
    for i, n in enumerate(names):
        df = df.withColumn(n, parts.getItem(i))
    return df.drop(col)


def nvl_all(df: DataFrame, value, *cols: str) -> DataFrame:
    return df.select(*[F.coalesce(F.col(c), F.lit(value)).alias(c) if c in cols else c for c in df.columns])


def join_all(base: DataFrame, *others: Tuple[DataFrame, str], how="left") -> DataFrame:
    for other, key in others:
        base = base.join(other, key, how)
    return base


spark = SparkSession.builder.getOrCreate()
m = spark.table("raw.metrics")
w = Window.partitionBy("host").orderBy("day")
feat = m.withColumns(lags(["cpu", "mem"], w)).select("host", "day", *[f"{c}_lag{s}" for c in ("cpu", "mem") for s in (1, 7)], rolling("cpu", w, 7), rolling("disk", w, 3, fn=F.max), safe_div("cpu", F.col("mem") + 1, 0.0).alias("ratio"))
feat.write.mode("overwrite").saveAsTable("dw.features")
e = split_name(spark.table("raw.employees").select("emp_id", "name", "dept"), "name", ("first", "last"))
p = spark.table("raw.products").select("product_id", "title", "category")
o = spark.table("raw.orders").select("order_id", "product_id", "customer_id", "amount")
c = spark.table("raw.customers").select("customer_id", "segment")
wide = join_all(o, (p, "product_id"), (c, "customer_id"))
nvl_all(wide, "n/a", "title", "segment").groupBy("segment", "category").agg(safe_div(F.sum("amount"), F.countDistinct("order_id")).alias("aov")).write.mode("overwrite").saveAsTable("dw.aov")
e.where(F.col("last").isNotNull()).write.mode("overwrite").saveAsTable("dw.people")
