from pyspark.sql import functions as F

KINDS = ("view", "cart", "buy")


def full_name():
    return F.concat_ws(" ", F.initcap("first_name"), F.initcap("last_name"))


def flag(kind):
    return F.when(F.col("kind") == kind, F.lit(1)).otherwise(F.lit(0))
