from pyspark.sql import SparkSession, functions as F, Window
spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders"); c = spark.table("raw.customers"); p = spark.table("raw.products"); e = spark.table("raw.events"); r = spark.table("raw.returns")
# attribute refs travelling
f = o.filter(o.amount > 5)
j = f.join(p, f.product_id == p.product_id).select(f.order_id, p.name, o.amount, (p.price * o.qty).alias("v"))
j.write.saveAsTable("mart.identities_a")
k = o.select("order_id", "customer_id").orderBy(o.amount.desc())
k.write.saveAsTable("mart.identities_b")
k2 = o.groupBy("customer_id").agg(F.max("amount").alias("m")).alias("mx")
o.alias("o").join(k2, (F.col("o.customer_id") == F.col("mx.customer_id")) & (F.col("o.amount") == F.col("mx.m")), "inner").select("o.*").drop("tags").write.saveAsTable("mart.identities_c")
# self join through derived frame
prev = o.select(F.col("order_id").alias("pid"), F.col("customer_id").alias("pc"), F.col("amount").alias("pa"))
o.join(prev, (o.customer_id == prev.pc) & (o.order_id > prev.pid), "left_outer").groupBy(o.order_id).agg(F.sum("pa").alias("s")).write.saveAsTable("mart.identities_d")
# using join chain + right + full
o.join(c, "customer_id", "right").join(p, ["product_id"], "full").select("customer_id", "product_id", "order_id", p.name, c.name.alias("cn")).write.saveAsTable("mart.identities_e")
# drop duplicates of col by ref
x = o.join(r, o.order_id == r.order_id, "left").drop(r.order_id).drop(r.amount)
x.select("order_id", "amount", "reason").write.saveAsTable("mart.identities_f")
# SQL <-> df hops
x.createOrReplaceTempView("x"); c.createOrReplaceTempView("cust")
spark.sql("create or replace temp view agg as select customer_id, count(*) n, sum(case when reason is null then amount end) good from x group by customer_id")
spark.sql("select cust.name, agg.* from cust join agg using (customer_id) where n > 1 order by good").write.saveAsTable("mart.identities_g")
df = spark.sql("select * from {t} where amount > {lim}", t=o, lim=5)
df.select("order_id").write.saveAsTable("mart.identities_h")
# withColumn same name chain
z = o
for i, cname in enumerate(["amount", "discount"]):
    z = z.withColumn(cname, F.coalesce(F.col(cname), F.lit(i))).withColumn(cname + "_sq", F.col(cname) ** 2)
z.select("amount", "amount_sq", "discount_sq").write.saveAsTable("mart.identities_i")
# na / case / selectExpr
e.na.fill({"value": 0, "kind": "none"}).na.replace({"a": "b"}, subset=["kind"]).selectExpr("kind", "value", "if(value > 1, kind, payload) as pk").write.saveAsTable("mart.identities_j")
# window dedupe then agg, having
w = Window.partitionBy("customer_id", "kind").orderBy(F.col("ts").desc_nulls_last())
d = e.withColumn("_r", F.row_number().over(w)).where("_r = 1").drop("_r")
d.groupBy("kind").agg(F.avg("value").alias("a"), F.stddev("value").alias("sd"), F.expr("max_by(payload, ts)").alias("last")).filter(F.col("a") > 0).write.saveAsTable("mart.identities_k")
# union of different shapes
u1 = o.select("order_id", F.lit("o").alias("src"), "amount"); u2 = r.select("order_id", F.lit("r"), -F.col("amount"))
u1.union(u2).groupBy("src").agg(F.sum("amount").alias("net")).write.saveAsTable("mart.identities_l")
u1.unionByName(r.select("order_id", "reason"), allowMissingColumns=True).write.saveAsTable("mart.identities_m")
# cube, distinct count, approx
o.cube("region", "status").agg(F.approx_count_distinct("customer_id").alias("ac"), F.sum_distinct("qty").alias("sq")).write.saveAsTable("mart.identities_n")
# nested struct and arrays
c.withColumn("address", F.col("address").withField("country", F.col("country"))).select("address.city", "address.country").write.saveAsTable("mart.identities_o")
o.select("order_id", F.expr("filter(tags, t -> t != region)").alias("ft"), F.array_join("tags", ",").alias("aj"), F.element_at("tags", 1).alias("e1"), o.tags[0].alias("t0")).write.saveAsTable("mart.identities_p")
o.select(F.to_json(F.struct("order_id", "amount")).alias("j"), F.hash("region").alias("h"), F.crc32(F.col("status")).alias("cc"), F.date_trunc("month", "created_at").alias("mo"), F.add_months("created_at", 1).alias("am"), F.lpad("region", 5, "0").alias("lp"), F.instr("status", "x").alias("ins"), F.months_between("created_at", F.current_timestamp()).alias("mb"), F.nvl("region", "status").alias("nv"), F.isnull("qty").alias("isn"), F.pow("amount", 2).alias("pw"), F.least("amount", "discount", "qty").alias("le")).write.saveAsTable("mart.identities_q")
o.groupBy("region").agg(F.count_if(F.col("amount") > 1).alias("ci"), F.bool_or(F.col("qty") > 1).alias("bo"), F.mode("status").alias("mo"), F.median("amount").alias("md"), F.corr("amount", "qty").alias("co"), F.percentile_approx("amount", 0.5).alias("pa"), F.any_value("status").alias("av"), F.kurtosis("amount").alias("ku"), F.array_agg("qty").alias("aq"), F.max_by("order_id", "amount").alias("mb")).write.saveAsTable("mart.identities_r")
o.select("order_id", F.ntile(4).over(Window.orderBy("amount")).alias("q"), F.nth_value("amount", 2).over(Window.partitionBy("region").orderBy("qty")).alias("nv"), F.last("status").over(Window.partitionBy("region").orderBy("qty").rangeBetween(Window.unboundedPreceding, 0)).alias("ls"), F.cume_dist().over(Window.orderBy("qty")).alias("cd")).write.saveAsTable("mart.identities_s")
