from pyspark.sql import SparkSession


def get(name):
    return SparkSession.builder.appName(name).getOrCreate()
