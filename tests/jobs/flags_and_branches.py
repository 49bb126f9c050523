"""Branches on constants, truth of lists, and try."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

SETTINGS = {"mask": True, "history": False, "extra": ["country"], "mode": "full"}

spark = SparkSession.builder.getOrCreate()
df = spark.table("raw.customers").select("customer_id", "email", "first_name", *SETTINGS["extra"])

if SETTINGS["mask"]:
    df = df.withColumn("email", F.sha2("email", 256))
else:
    df = df.withColumn("email", F.lower("email"))

if SETTINGS.get("history"):
    df = df.join(spark.table("dw.dim_customer"), "customer_id")
elif SETTINGS["mode"] in ("full", "delta") and len(SETTINGS["extra"]) > 0:
    df = df.join(spark.table("raw.clicks").groupBy("customer_id").agg(F.max("ts").alias("seen")), "customer_id", "left")

try:
    limit = int(SETTINGS.get("limit", "5"))
    df = df.where(F.length("first_name") >= limit)
except ValueError:
    print("no limit")
finally:
    target = "dw.contacts" if SETTINGS["mode"] == "full" else "dw.contacts_delta"

match SETTINGS["mode"]:
    case "full":
        df = df.withColumn("loaded", F.lit("full"))
    case other:
        df = df.withColumn("loaded", F.lit(other))

assert "seen" in df.columns
df.write.mode("overwrite" if SETTINGS["mode"] == "full" else "append").saveAsTable(target)
