"""daily revenue job"""
import argparse
from collections import defaultdict, OrderedDict
from enum import Enum
from itertools import chain, product
from pyspark.sql import SparkSession, DataFrame, functions as F
from pyspark.sql.types import StructType, StructField, StringType, DoubleType
from pyspark.sql.window import Window

class Layer(str, Enum):
    RAW = "raw"
    MART = "mart"

class Spec:
    registry = OrderedDict()
    def __init__(self, source, cols, *, filt=None, alias=None):
        self.source, self.cols, self.filt, self.alias = source, cols, filt, alias or source
        Spec.registry[self.alias] = self
    def load(self, spark):
        df = spark.table(f"{Layer.RAW.value}.{self.source}")
        if self.filt is not None:
            df = df.where(self.filt)
        return df.select(*[F.col(c) if not isinstance(c, tuple) else F.col(c[0]).alias(c[1]) for c in self.cols])

Spec("orders", ["order_id", "customer_id", ("amount", "gross"), "product_id"], filt=F.col("status") == "done")
Spec("products", ["product_id", ("name", "product"), "category"], alias="prod")
Spec("customers", ["customer_id", "segment"])

def join_all(frames, keys):
    it = iter(frames)
    out = next(it)
    for f, k in zip(it, keys):
        out = out.join(f, on=k, how="left")
    return out

def bucketize(c, edges, labels):
    expr = None
    for e, l in zip(edges, labels):
        cond = F.col(c) <= e
        expr = F.when(cond, l) if expr is None else expr.when(cond, l)
    return expr.otherwise(labels[-1])

def stats(df: DataFrame, by, cols, fns=("min", "max")):
    named = [(c, f) for c, f in product(cols, fns)]
    return df.groupBy(by).agg(*map(lambda p: getattr(F, p[1])(p[0]).alias(f"{p[0]}__{p[1]}"), named))

def run(spark):
    frames = {k: s.load(spark) for k, s in Spec.registry.items()}
    base = join_all(frames.values(), [["product_id"], ["customer_id"]])
    base = base.withColumn("bucket", bucketize("gross", [10, 100, 1000], ["s", "m", "l"]))
    base.write.mode("overwrite").saveAsTable(f"{Layer.MART.value}.specs_base")
    s = stats(base, ["segment", "category"], ["gross"])
    s.write.saveAsTable("mart.specs_stats")
    wide = s.select("segment", *[F.col(c).cast("decimal(10,2)").alias(c.replace("__", "_")) for c in s.columns if "__" in c])
    wide.write.saveAsTable("mart.specs_wide")
    groups = defaultdict(list)
    for name, typ in base.dtypes:
        groups[typ].append(name)
    base.select(groups["int"]).write.saveAsTable("mart.specs_ints")
    base.select(*groups["string"], F.lit(1).alias("one")).distinct().write.saveAsTable("mart.specs_strs")
    match_kind = "left"
    match match_kind:
        case "left":
            m = base.select("order_id")
        case _:
            m = base.select("segment")
    m.write.saveAsTable("mart.specs_match")
    with_rank = base.select("*", F.dense_rank().over(Window.partitionBy("segment").orderBy(F.desc("gross"))).alias("rk"))
    top = with_rank.where("rk <= 3").drop("rk")
    flat = top.select(*(F.col(c).alias(c.upper()) for c in top.columns))
    flat.write.saveAsTable("mart.specs_top")
    try:
        spark.sql("DROP TABLE IF EXISTS mart.nothing")
    finally:
        pass
    key, *rest = ["order_id", "gross", "segment"]
    base.groupBy(key).agg(F.first(rest[0]).alias("f"), F.collect_list(F.struct(*rest)).alias("l")).write.saveAsTable("mart.specs_rest")
    total = sum([F.col("gross"), F.col("order_id")])
    base.select((total * 2).alias("t2"), F.concat(*chain([F.col("segment")], [F.lit("x")])).alias("cc")).write.saveAsTable("mart.specs_sum")
    cond = F.lit(True)
    for c in ["segment", "category"]:
        cond = cond & F.col(c).isNotNull()
    base.filter(cond).select("order_id").write.saveAsTable("mart.specs_cond")
    x = base.select("order_id", "gross").toDF("a", "b")
    y = x.withColumnRenamed("a", "id").withColumn("b", F.col("b") + 1).withColumn("c", F.col("b") * 2)
    y.filter(y.c > 5).orderBy(y["b"].desc(), "id").write.saveAsTable("mart.specs_xy")
    dq = {"nulls": F.sum(F.col("segment").isNull().cast("int")), "dups": F.count("*") - F.countDistinct("order_id")}
    base.agg(*[e.alias(n) for n, e in dq.items()]).write.saveAsTable("mart.specs_dq")
    if len(groups) > 1 and not rest == []:
        base.select("category").write.saveAsTable("mart.specs_if")
    else:
        base.select("segment").write.saveAsTable("mart.specs_else")
    lookup = {"a": 1, "b": 2}
    m = F.create_map(*[F.lit(v) for v in chain(*lookup.items())])
    base.select(m[F.col("bucket")].alias("code"), F.expr("gross * 1.1 as g2")).write.saveAsTable("mart.specs_map")

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--x", default="1")
    args, _ = p.parse_known_args([])
    run(SparkSession.builder.getOrCreate())
