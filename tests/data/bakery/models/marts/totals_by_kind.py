from pyspark.sql import functions as F


def model(dbt, session):
    dbt.config(materialized="table")
    orders = dbt.ref("stg_orders")
    readings = dbt.source("landing", "oven_readings")
    hottest = readings.agg(F.max("degrees").alias("hottest"))
    return orders.groupBy("kind").agg(F.sum("amount").alias("total")).crossJoin(hottest)
