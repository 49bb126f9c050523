from functools import lru_cache
from pyspark.sql import SparkSession


@lru_cache(maxsize=1)
def get_spark(app="etl"):
    return SparkSession.builder.appName(app).getOrCreate()
