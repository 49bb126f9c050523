"""Small functions chained with transform; some take parameters, some are made by functions."""

from functools import wraps

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def logged(step):
    @wraps(step)
    def inner(df, *args, **kwargs):
        print(f"running {step.__name__}")
        return step(df, *args, **kwargs)

    return inner


@logged
def only_paid(df: DataFrame) -> DataFrame:
    return df.filter(df.status == "paid")


def with_net(tax: float = 0.2):
    def inner(df):
        return df.withColumn("net", F.col("amount") * (1 - tax))

    return inner


@logged
def rename_all(df, suffix, skip=()):
    return df.select(*[F.col(c) if c in skip else F.col(c).alias(c + suffix) for c in df.columns])


def audit(source):
    return lambda df: df.withColumn("source", F.lit(source)).withColumn("loaded_at", F.current_timestamp())


spark = SparkSession.builder.getOrCreate()
(
    spark.table("raw.orders")
    .transform(only_paid)
    .transform(with_net(tax=0.19))
    .select("order_id", "customer_id", "net", "discount")
    .transform(rename_all, "_v1", skip=["order_id"])
    .transform(audit("shop"))
    .write.mode("overwrite")
    .saveAsTable("dw.net_orders")
)
