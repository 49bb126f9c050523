"""Functions that return early, recursion with an end, defaults and several results."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def cleaned(df, columns=None, how="trim"):
    if not columns:
        return df
    head, *tail = columns
    if how == "trim":
        df = df.withColumn(head, F.trim(head))
    elif how == "upper":
        df = df.withColumn(head, F.upper(head))
    else:
        raise ValueError(how)
    return cleaned(df, tail, how)


def parts(df, by="store", /, *, limit=100):
    if by not in df.columns:
        raise KeyError(by)
    big = df.filter(F.col("amount") >= limit)
    small = df.filter(F.col("amount") < limit)
    return big, small, df.select(by).distinct()


def pick(df, wanted, default=None):
    for name in wanted:
        if name in df.columns:
            return F.col(name)
    return F.lit(default)


orders = cleaned(spark.table("raw.orders"), ["store", "status"])
big, small, stores = parts(orders, limit=50)
big.select("order_id", "store").write.saveAsTable("dw.big")
small.select("order_id", "status", pick(small, ["title", "discount", "amount"]).alias("price")).write.saveAsTable("dw.small")
stores.withColumn("code", F.substring("store", 1, 2)).write.saveAsTable("dw.stores")
cleaned(spark.table("raw.employees"), ("dept",), how="upper").select(pick(orders, ["nope"], 0).alias("zero"), "dept").write.saveAsTable("dw.depts")
