"""Joins of every kind, windows over them, and what ranks decide."""


from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders")
c = spark.table("raw.customers")
p = spark.read.table("raw.products")
paid = o.filter(o.status != "void").hint("broadcast")
j = paid.join(F.broadcast(c), "customer_id", "left").join(p, [o.product_id == p.product_id], "inner")
j.select(
    "order_id",
    "customer_id",
    F.initcap(c["last_name"]).alias("buyer"),
    p.title,
    (o.amount - o["qty"] * p.price).alias("net"),
).write.mode("overwrite").saveAsTable("dw.enriched")
c.join(o.where("amount > 0"), c.customer_id == o.customer_id, "left_anti").select(
    "customer_id", "last_name"
).write.saveAsTable("dw.no_orders")
e = spark.table("raw.employees")
b = e.alias("b")
g = e.alias("g")
(
    e.alias("e")
    .join(b, F.col("e.manager_id") == F.col("b.emp_id"))
    .join(g, F.col("b.manager_id") == F.col("g.emp_id"), "left")
    .select("e.name", F.col("b.name").alias("boss"), F.coalesce(F.col("g.name"), F.lit("none")).alias("grand"))
    .write.format("parquet")
    .saveAsTable("dw.bosses")
)
o.join(c, on=["customer_id"], how="full").select("customer_id", "amount", "last_name").write.saveAsTable("dw.full_id")
o.join(c, on=["customer_id"], how="right").select("customer_id", "amount").write.saveAsTable("dw.right_id")
o.crossJoin(p).select("order_id", "title").write.saveAsTable("dw.crossed")
r = spark.table("raw.rates")
o.join(r, F.to_date(o.placed_at).between(r.day, F.date_add(r.day, 7)), "leftouter").select(
    "order_id", "rate"
).write.saveAsTable("dw.ranged")
o = spark.table("raw.orders")
w = Window.partitionBy("customer_id").orderBy(F.col("placed_at").desc())
(
    o.select(
        "order_id",
        F.row_number().over(w).alias("rn"),
        F.lag("amount", 1, 0.0).over(w).alias("prev"),
        F.sum("amount").over(w.rowsBetween(Window.unboundedPreceding, 0)).alias("running"),
        (F.col("amount") / F.sum("amount").over(Window.partitionBy("store"))).alias("share"),
        F.first("amount", ignorenulls=True).over(w).alias("first_amt"),
        F.ntile(4).over(Window.orderBy("amount")).alias("q"),
        F.datediff("placed_at", F.lag("placed_at").over(w)).alias("days"),
    ).write.saveAsTable("dw.ranked")
)
(
    o.withColumn("rn", F.row_number().over(w.orderBy(F.desc("placed_at"), "order_id")))
    .filter("rn = 1")
    .drop("rn")
    .select("order_id", "amount")
    .write.saveAsTable("dw.latest")
)
spark.sql("""
  SELECT store, sum(amount) AS total, rank() OVER (ORDER BY sum(amount) DESC) AS r
  FROM raw.orders GROUP BY store QUALIFY r <= 3
""").write.saveAsTable("dw.qualified")
gap = (
    F.unix_timestamp("placed_at")
    - F.unix_timestamp(F.lag("placed_at").over(Window.partitionBy("customer_id").orderBy("placed_at")))
) > 1800
(
    o.withColumn("new", gap.cast("int"))
    .select("customer_id", F.sum("new").over(Window.partitionBy("customer_id").orderBy("placed_at")).alias("sess"))
    .write.saveAsTable("dw.sessions")
)
(
    o.groupBy("store")
    .agg(
        F.percentile_approx("amount", 0.5).alias("med"),
        F.expr("percentile_cont(0.9) WITHIN GROUP (ORDER BY amount)").alias("p"),
        F.countDistinct("status").alias("c"),
        F.expr("sum(amount) FILTER (WHERE status = 'paid')").alias("s"),
        F.max_by("order_id", "placed_at").alias("mb"),
        F.sort_array(F.collect_list(F.struct("order_id", "amount"))).alias("arr"),
    )
    .write.saveAsTable("dw.medians")
)
