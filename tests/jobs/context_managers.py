from contextlib import contextmanager
from itertools import groupby, combinations
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def pairs(cols):
    for a, b in combinations(cols, 2):
        yield f"{a}_x_{b}", F.col(a) * F.col(b)


def renames(df, mapping):
    for old in df.columns:
        yield F.col(old).alias(mapping.get(old, old))


@contextmanager
def temp_view(df, name):
    df.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        spark.catalog.dropTempView(name)


m = spark.table("raw.metrics")
inter = m.select("host", "day", *[c.alias(n) for n, c in pairs(["cpu", "mem", "disk"])])
inter.write.saveAsTable("mart.interactions")

with temp_view(inter.withColumnRenamed("cpu_x_mem", "cm"), "i1") as v, temp_view(m, "m1") as w:
    spark.sql(f"SELECT a.host, a.cm, b.disk FROM {v} a JOIN {w} b ON a.host = b.host AND a.day = b.day").write.saveAsTable("mart.inter_join")

cols = sorted(spark.table("raw.orders").columns, key=lambda c: (c[-3:] == "_id", c))
for is_id, group in groupby(cols, key=lambda c: c.endswith("_id")):
    names = list(group)
    spark.table("raw.orders").select("order_id" if not is_id else F.lit(1).alias("one"), *names).write.saveAsTable(f"mart.{'ids' if is_id else 'rest'}")

mapping = dict(zip("abc", ["x", "y", "z"])) | {"host": "machine"}
m.select(*renames(m, mapping)).where("machine is not null").write.saveAsTable("mart.renamed")
