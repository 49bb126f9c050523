from pyspark.sql import SparkSession, functions as F, Window
spark = SparkSession.builder.getOrCreate()

STEPS = []
def step(fn):
    STEPS.append(fn)
    return fn

@step
def dedupe(df):
    return df.dropDuplicates(["order_id"])

@step
def flag(df):
    return df.withColumn("is_big", F.col("amount") > 100)

@step
def enrich(df):
    cust = spark.table("raw.customers").select("customer_id", F.upper("country").alias("country"))
    return df.join(F.broadcast(cust), on="customer_id", how="inner")

def pipeline(df, steps):
    for s in steps:
        df = s(df)
    return df

df = pipeline(spark.table("raw.orders"), STEPS)
cols = {"country": "c", "is_big": "big"}
df = df.select("order_id", *[F.col(k).alias(v) for k, v in cols.items()], F.lit("x").alias("src"))
df.write.mode("overwrite").format("parquet").saveAsTable("mart.decorated")
back = spark.table("mart.decorated").groupBy("c").agg(F.count("*").alias("n"), F.max("big"))
back.write.saveAsTable("mart.decorated_counts")
spark.sql("CREATE OR REPLACE TEMP VIEW tv AS SELECT region, amount * qty AS v FROM raw.orders WHERE status <> 'x'")
spark.table("tv").groupBy("region").agg(F.expr("sum(v) as s"), F.expr("percentile_approx(v, 0.5)").alias("med")).write.saveAsTable("mart.decorated_tv")
a = spark.table("raw.orders").select("order_id", "amount").withColumn("amount", F.round("amount", 2))
b = spark.table("raw.returns").select("order_id", F.col("amount").alias("back"))
m = a.join(b, "order_id", "full_outer").withColumn("net", F.coalesce("amount", F.lit(0)) - F.coalesce("back", F.lit(0)))
m.write.saveAsTable("mart.decorated_full")
st = spark.table("raw.orders").describe("amount", "qty")
st.write.saveAsTable("mart.decorated_desc")
u = spark.table("raw.orders").unpivot(["order_id"], ["amount", "discount"], "metric", "val")
u.filter("val is not null").write.saveAsTable("mart.decorated_unpivot")
