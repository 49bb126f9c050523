from pyspark.sql import functions as F


def clean(name):
    return F.lower(F.trim(F.col(name))).alias(name)


def money(name, rate=None):
    c = F.col(name).cast("decimal(12,2)")
    return (c * rate if rate is not None else c).alias(name)
