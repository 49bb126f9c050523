import pyspark.sql.functions as F
from core import job


@job()
def metrics(frames):
    m = frames["m"]
    return m.groupBy("host", F.month("day").alias("month")).agg(*[F.max(c).alias(c) for c in m.columns if c not in ("host", "day")])
