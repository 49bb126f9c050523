from pyspark.sql import functions as F

MONEY = ["amount", "discount"]


def tidy(df, *, keep=None):
    columns = keep or df.columns
    return df.select(*[F.round(c, 2).alias(c) if c in MONEY else F.col(c) for c in columns])


def latest(df, keys, order):
    from pyspark.sql import Window

    ranked = Window.partitionBy(*keys).orderBy(*[F.desc(c) for c in order])
    return df.withColumn("_r", F.row_number().over(ranked)).where(F.col("_r") == 1).drop("_r")
