"""Structs flattened by walking the schema, also of what from_json gives; and class attributes that are annotated."""

from __future__ import annotations

from abc import ABC

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, StringType, StructField, StructType

spark = SparkSession.builder.getOrCreate()
PLACE = StructType([StructField("lat", DoubleType()), StructField("lon", DoubleType())])
PAYLOAD = StructType().add("fw", StringType()).add("at", PLACE).add("tags", ArrayType(StructType().add("k", StringType())))


def flat(df, sep="_"):
    while True:
        nested = [field.name for field in df.schema.fields if isinstance(field.dataType, StructType)]
        if not nested:
            return df
        columns = []
        for field in df.schema.fields:
            if field.name in nested:
                columns += [F.col(f"{field.name}.{n}").alias(f"{field.name}{sep}{n}") for n in field.dataType.names]
            else:
                columns.append(F.col(field.name))
        df = df.select(columns)


def exploded(df):
    for field in df.schema:
        if isinstance(field.dataType, ArrayType):
            df = df.withColumn(field.name, F.explode_outer(field.name))
    return df


class Job(ABC):
    output: str = ""
    steps: list = []

    def run(self, df):
        for step in self.steps:
            df = step(df)
        df.write.saveAsTable(self.output)


class Alerts(Job):
    output = "dw.alerts"
    steps = [flat, exploded, flat]


class Visits(Job):
    output = "dw.visit_codes"
    steps = [exploded, flat]


Alerts().run(spark.table("iot.alerts").select("device_id", F.from_json("payload", PAYLOAD).alias("p")))
Visits().run(spark.table("health.visits"))
flat(spark.table("raw.customers")).fillna(0).write.saveAsTable("dw.flat_customers")
people = spark.table("raw.customers")
people.select(
    F.col("address").withField("geo.lat", F.length("email")).alias("moved"), F.col("address").dropFields("geo.lon").alias("less")
).write.saveAsTable("dw.moved")
people.select(F.struct("address.*").alias("a")).select("a.city").write.saveAsTable("dw.built_anew")
