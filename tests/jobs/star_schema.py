"""A fact and its dimensions with surrogate keys, by one builder each."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import Window as W
from pyspark.sql import functions as f


class Dimension:
    def __init__(self, name: str, source: DataFrame, natural: str, attributes: list[str]):
        self.name, self.source, self.natural = name, source, natural
        self.attributes = attributes

    @property
    def key(self) -> str:
        return f"{self.name}_key"

    def build(self) -> DataFrame:
        return (
            self.source.select(self.natural, *self.attributes)
            .distinct()
            .withColumn(self.key, f.row_number().over(W.orderBy(self.natural)))
            .select(self.key, self.natural, *self.attributes)
        )


class Fact:
    def __init__(self, df: DataFrame):
        self._df = df
        self._keys: list[str] = []

    def attach(self, dimension: Dimension, built: DataFrame) -> Fact:
        lookup = built.select(dimension.natural, dimension.key)
        self._df = self._df.join(lookup, dimension.natural, "left")
        self._keys.append(dimension.key)
        return self

    def measure(self, **measures) -> DataFrame:
        return self._df.select(*self._keys, *[e.alias(n) for n, e in measures.items()])


spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")
dimensions = [
    Dimension("customer", spark.table("raw.customers"), "customer_id", ["country", "segment"]),
    Dimension("product", spark.table("raw.products"), "product_id", ["title", "category"]),
]
fact = Fact(orders)
for dimension in dimensions:
    built = dimension.build()
    built.write.mode("overwrite").saveAsTable(f"dw.dim_{dimension.name}_v2")
    fact.attach(dimension, built)
fact.measure(quantity=f.col("qty"), revenue=f.col("amount") - f.coalesce("discount", f.lit(0))).write.saveAsTable("dw.fact_orders")
