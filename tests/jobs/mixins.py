from __future__ import annotations
from typing import Protocol
from pyspark.sql import SparkSession, DataFrame
from pyspark.sql import functions as F


class Reader:
    source: str

    def read(self) -> DataFrame:
        return self.spark.table(self.source)


class Auditing:
    def process(self, df: DataFrame) -> DataFrame:
        df = super().process(df)
        return df.withColumn("_source", F.lit(self.source)).withColumn("_loaded", F.current_timestamp())


class Deduping:
    keys: list = []

    def process(self, df):
        df = super().process(df)
        return df.dropDuplicates(self.keys)


class Step:
    def __init__(self, spark):
        self.spark = spark

    def process(self, df):
        return df

    def run(self):
        self.write(self.process(self.read()))

    def write(self, df):
        df.write.mode("overwrite").saveAsTable(f"mart.{type(self).__name__.lower()}")


class Phones(Auditing, Deduping, Reader, Step):
    source = "bank.clients"
    keys = ["client_id", "phone"]

    def process(self, df):
        flat = df.select("client_id", F.explode_outer("phones").alias("phone"), F.col("address.country").alias("country"))
        return super().process(flat)


class Alerts(Auditing, Reader, Step):
    source = "iot.alerts"

    def process(self, df):
        df = super().process(df)
        parsed = df.withColumn("p", F.from_json("payload", "code int, msg string, extra struct<a:int,b:string>"))
        return parsed.select("device_id", "level", "p.code", F.col("p.extra.b").alias("extra_b"), *[c for c in df.columns if c.startswith("_")])


REGISTRY = {cls.__name__: cls for cls in (Phones, Alerts)}

if __name__ == "__main__":
    spark = SparkSession.builder.getOrCreate()
    for name in sorted(REGISTRY):
        REGISTRY[name](spark).run()
