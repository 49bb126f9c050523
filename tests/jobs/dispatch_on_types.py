"""Functions by the type of their argument, methods with arguments given beforehand, and a schema that is called live."""

from functools import partialmethod, singledispatch, singledispatchmethod

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


@singledispatch
def as_column(given):
    raise TypeError(given)


@as_column.register
def _(given: str):
    return F.col(given)


@as_column.register(Column)
def _kept(given):
    return given


@as_column.register(tuple)
def _called(given):
    name, function = given
    return getattr(F, function)(name).alias(f"{function}_{name}")


class Mart:
    def __init__(self, df):
        self.df = df

    @singledispatchmethod
    def keep(self, test):
        return self.df

    @keep.register
    def _(self, test: str):
        return self.df.filter(test)

    @keep.register
    def _(self, test: dict):
        return self.df.na.fill(test)

    def saved(self, what, table, *, suffix):
        what.write.saveAsTable(table + suffix)

    save_daily = partialmethod(saved, suffix="_daily")


orders = spark.table("raw.orders")
mart = Mart(orders.select(*map(as_column, ["order_id", F.upper("store").alias("shop"), ("placed_at", "year"), "discount"])))
mart.save_daily(mart.keep("shop <> 'X'"), "live.shops")
mart.save_daily(mart.keep({"discount": 0.0}), "live.filled")
spark.table("live.shops_daily").groupBy("shop").count().write.saveAsTable("live.counted")
if hasattr(orders, "lateralJoin") and False:
    orders.write.saveAsTable("live.never")
orders.summary("count", "max").write.saveAsTable("live.profile")
