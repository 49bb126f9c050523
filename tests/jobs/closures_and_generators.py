"""Generators, closures, star arguments and keyword dictionaries."""

from contextlib import contextmanager
from itertools import chain

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def measures(*names, **kinds):
    for name in names:
        yield F.sum(name).alias(f"sum_{name}")
    for name, kind in kinds.items():
        yield getattr(F, kind)(name).alias(f"{kind}_{name}")


@contextmanager
def cached(df):
    held = df.cache()
    try:
        yield held
    finally:
        held.unpersist()


def pipe(*functions):
    def run(df):
        for function in functions:
            df = function(df)
        return df

    return run


def keep(*columns):
    return lambda df: df.select(*columns)


def rename(**names):
    def inner(df):
        for new, old in names.items():
            df = df.withColumnRenamed(old, new)
        return df

    return inner


spark = SparkSession.builder.getOrCreate()
options = {"how": "left", "on": "product_id"}
with cached(spark.table("raw.orders").join(spark.table("raw.products"), **options)) as base:
    base.groupBy("category").agg(*measures("amount", "qty", price="max", cost="min")).write.saveAsTable("dw.category_measures")
    run = pipe(keep("order_id", "title", "price"), rename(product="title", list_price="price"), lambda df: df.dropna(subset=["product"]))
    run(base).write.saveAsTable("dw.order_products")

first, *others = [spark.table("raw.metrics").select("host", "day", c) for c in ("cpu", "mem", "disk")]
for other in others:
    first = first.join(other, ["host", "day"], "outer")
first.write.saveAsTable("dw.rejoined")
names = list(chain(["host"], *(["cpu"], ["mem"])))
spark.table("raw.metrics").select(*names).toDF(*[n.upper() for n in names]).write.saveAsTable("dw.upper_names")
