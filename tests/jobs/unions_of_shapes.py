"""Sources of different shapes brought to one schema before they are united."""

from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SHAPE = {"key": "string", "at": "timestamp", "value": "double", "origin": "string"}
SOURCES = [
    {"table": "raw.clicks", "map": {"key": "session_id", "at": "ts", "value": "value"}},
    {"table": "raw.orders", "map": {"key": "order_id", "at": "placed_at", "value": "amount"}, "filter": "status = 'paid'"},
    {"table": "raw.returns", "map": {"key": "order_id", "at": "returned_at"}},
]


def shaped(spark: SparkSession, source: dict) -> DataFrame:
    df = spark.table(source["table"])
    if source.get("filter"):
        df = df.filter(source["filter"])
    mapping = source["map"]
    columns = []
    for name, kind in SHAPE.items():
        if name == "origin":
            columns.append(F.lit(source["table"].split(".")[-1]).alias(name))
        elif name in mapping:
            columns.append(F.col(mapping[name]).cast(kind).alias(name))
        else:
            columns.append(F.lit(None).cast(kind).alias(name))
    return df.select(columns)


def unite(frames: list[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionByName, frames)


if __name__ == "__main__":
    spark = SparkSession.builder.getOrCreate()
    events = unite([shaped(spark, s) for s in SOURCES])
    events.write.mode("overwrite").saveAsTable("dw.all_events")
    per_origin = {s["table"].split(".")[1]: events.filter(F.col("origin") == s["table"].split(".")[1]) for s in SOURCES}
    per_origin["clicks"].groupBy("key").agg(F.sum("value").alias("value")).write.saveAsTable("dw.click_values")
