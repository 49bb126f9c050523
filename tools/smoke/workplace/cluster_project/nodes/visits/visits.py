import addresses
from pyspark.sql import functions as F


@F.udf("string")
def host(address):
    return addresses.host(address)


def model(dbt, session):
    return dbt.ref("raw_visits").select("id", host("address").alias("host"))
