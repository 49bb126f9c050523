from pyspark.sql import functions as F

from lake.columns import KINDS, flag


def engagement(clicks, customers):
    per_customer = clicks.groupBy("customer_id").agg(
        F.max("ts").alias("last_seen"), *[F.sum(flag(kind)).alias(f"n_{kind}") for kind in KINDS]
    )
    return customers.join(per_customer, "customer_id", "left").fillna(0, subset=[f"n_{kind}" for kind in KINDS])


def funnel(clicks):
    return clicks.groupBy("path").pivot("kind", list(KINDS)).agg(F.count("session_id"))
