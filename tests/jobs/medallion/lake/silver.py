from pyspark.sql import functions as F

from .columns import full_name


def clean_clicks(df):
    return df.where("customer_id IS NOT NULL").withColumn("path", F.parse_url("url", F.lit("PATH"))).drop("url")


def clean_customers(df):
    return df.select(
        "customer_id",
        full_name().alias("full_name"),
        F.lower(F.trim(F.col("email"))).alias("email"),
        F.col("address.city"),
        F.col("address")["geo"]["lat"].alias("lat"),
    ).dropDuplicates(["customer_id"])
