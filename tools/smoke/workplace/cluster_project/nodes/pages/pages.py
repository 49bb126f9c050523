from addresses import host
from pyspark.sql import functions as F


@F.pandas_udf("string")
def hosts(addresses):
    return addresses.map(host)


def model(dbt, session):
    named = dbt.ref("raw_visits").withColumn("host", hosts("address"))
    return named.groupBy("host").agg(F.count("id").alias("pages"))
