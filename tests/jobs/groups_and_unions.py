"""Grouping sets, pivots, set operations, columns that are made up."""

from functools import reduce

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders")
o.rollup("store", "status").agg(F.sum("amount").alias("total"), F.grouping("store").alias("gs")).write.saveAsTable(
    "dw.rolled"
)
o.cube("store", "status").agg(F.grouping_id().alias("gid"), F.count("*").alias("n")).write.saveAsTable("dw.cubed")
o.createOrReplaceTempView("o")
spark.sql("""SELECT store, to_date(placed_at) AS d, sum(amount) t FROM o
 GROUP BY GROUPING SETS ((store), (to_date(placed_at)), ()) HAVING sum(amount) > 1""").write.saveAsTable("dw.sets")
o.select("store", F.upper("status").alias("u")).distinct().write.saveAsTable("dw.dist")
o.dropDuplicates(["store", "status"]).select("order_id", "store").write.saveAsTable("dw.dd")
spark.sql("SELECT order_id FROM o UNION SELECT id FROM raw.sales_2022").write.saveAsTable("dw.distinct_set")
o.groupBy("store").agg(
    *[getattr(F, f)("amount").alias(f"a_{f}") for f in ("min", "max")], F.sum("qty").alias("q")
).write.saveAsTable("dw.multi")
o.groupBy(F.date_trunc("month", "placed_at").alias("m")).agg(F.sum("amount").alias("s")).orderBy("m").write.saveAsTable(
    "dw.grp_expr"
)
a, b = spark.table("raw.sales_2022"), spark.table("raw.sales_2023")
a.unionByName(b, allowMissingColumns=True).write.saveAsTable("dw.u1")
reduce(DataFrame.unionByName, [a.select("amount", "id"), b.select("id", "amount")]).select(
    "id", "amount"
).write.saveAsTable("dw.u2")
a.select("id").intersect(b.select("id")).write.saveAsTable("dw.u3")
a.select("id").exceptAll(b.select("id")).write.saveAsTable("dw.u4")
frames = []
for name, f in {"22": a, "23": b.filter("channel = 'web'")}.items():
    frames.append(f.select(F.col("id").alias("x"), F.lit(name).alias("src")))
reduce(lambda one, other: one.unionAll(other), frames).write.saveAsTable("dw.u5")
a.select("region", "amount").union(b.select("region", "amount")).groupBy(F.col("region").alias("k")).agg(
    F.sum("amount").alias("t")
).write.saveAsTable("dw.u6")
a.select(F.col("id").alias("a")).union(b.select("amount")).write.saveAsTable("dw.u7")
a.select("id", "region").subtract(b.select("id", "region")).write.saveAsTable("dw.sub")
o = spark.table("raw.orders")
m = spark.table("raw.metrics")
o.groupBy("store").pivot("status", ["new", "paid"]).sum("amount").write.saveAsTable("dw.by_status")
o.groupBy("store").pivot("status", ["new", "paid"]).agg(
    F.sum("amount").alias("s"), F.count("qty").alias("n")
).write.saveAsTable("dw.by_status2")
m.unpivot(["host", "day"], ["cpu", "mem", "disk"], "metric", "value").write.saveAsTable("dw.long")
spark.sql("SELECT host, what, v FROM raw.metrics UNPIVOT (v FOR what IN (cpu, mem))").write.saveAsTable("dw.long_sql")
m.selectExpr("host", "stack(2, 'cpu', cpu, 'mem', mem * 2) AS (name, v)").write.saveAsTable("dw.stacked")
spark.sql("""
SELECT * FROM (SELECT p.category, o.store, o.amount FROM raw.orders o
  JOIN raw.products p ON o.product_id = p.product_id)
PIVOT (sum(amount) FOR store IN ('s1', 's2'))""").write.saveAsTable("dw.pivot_sql")
m.melt(ids="host", values=["cpu", "mem"], variableColumnName="variable", valueColumnName="value").dropna(
    subset=["value"]
).write.saveAsTable("dw.melted")
o = spark.table("raw.orders")
c = spark.table("raw.customers")
o.select(
    "order_id",
    F.current_date().alias("d"),
    F.rand(7).alias("r"),
    F.expr("uuid()").alias("u"),
    F.monotonically_increasing_id().alias("id"),
).write.saveAsTable("dw.m1")
o.sample(0.9, 3).orderBy(F.desc("amount")).limit(10).select("order_id").hint("coalesce", 1).write.saveAsTable("dw.m2")
o.select("order_id", "amount", "store").fillna({"amount": 0.0, "store": "?"}).write.saveAsTable("dw.m3")
o.na.drop(subset=["amount", "store"]).select("order_id", F.coalesce("status", F.lit("-")).alias("s")).write.saveAsTable(
    "dw.m4"
)
ob = Observation("stats")
o.observe(ob, F.count(F.lit(1)).alias("n"), F.max("qty").alias("mx")).withColumnRenamed("amount", "amt").select(
    "order_id", F.col("amt").cast("int").alias("amt")
).write.saveAsTable("dw.m5")
c.select(
    "customer_id",
    F.sha2("email", 256).alias("h"),
    F.when(F.col("country").isin("DE", "AT"), "dach").otherwise("row").alias("bucket"),
    F.expr("nullif(last_name, email)").alias("m"),
).write.saveAsTable("dw.m6")
o.groupBy("store").count().write.saveAsTable("dw.m7")
o.agg({"amount": "max", "qty": "avg"}).toDF("a", "b").write.saveAsTable("dw.m8")


def double(df, cols):
    for x in cols:
        df = df.withColumn(x, F.col(x) * 2)
    return df


o.select("order_id", "amount", "qty").transform(double, ["amount", "qty"]).write.saveAsTable("dw.m9")
