from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
TRACKED = ["email", "country"]

dim = spark.table("dw.dim_customer")
src = spark.table("raw.customers").select("customer_id", "email", "country", F.col("signup_date").alias("eff"))

cur = dim.filter(F.col("is_current") == True)  # noqa: E712
hist = dim.filter("NOT is_current")


def hash_cols(df, cols, prefix=""):
    return F.sha2(F.concat_ws("||", *[F.coalesce(df[prefix + c].cast("string"), F.lit("")) for c in cols]), 256)


src_h = src.withColumn("h", hash_cols(src, TRACKED))
cur_h = cur.withColumn("h", hash_cols(cur, TRACKED))

cmp = src_h.alias("s").join(cur_h.alias("t"), F.col("s.customer_id") == F.col("t.customer_id"), "full_outer")
changed = cmp.where("s.h <> t.h AND t.customer_id IS NOT NULL")
new = cmp.where("t.customer_id IS NULL")
gone = cmp.where(F.col("s.customer_id").isNull()).select("t.*").drop("h")

closed = changed.select(*[F.col(f"t.{c}") for c in ["customer_id"] + TRACKED], "t.valid_from", F.col("s.eff").alias("valid_to"), F.lit(False).alias("is_current"))
opened = changed.union(new).select("s.customer_id", *[f"s.{c}" for c in TRACKED], F.col("s.eff").alias("valid_from"), F.lit(None).cast("date").alias("valid_to"), F.lit(True).alias("is_current"))
same = cmp.where("s.h = t.h").select("t.*").drop("h")

parts = [hist, closed, opened, same, gone]
result = parts[0]
for p in parts[1:]:
    result = result.unionByName(p)
result.write.mode("overwrite").saveAsTable("dw.dim_customer_new")
