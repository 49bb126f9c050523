# Databricks notebook source
from pyspark.sql import functions as F

ORDERS = "raw.orders"


def with_revenue(df):
    return df.withColumn("revenue", F.col("amount") - F.coalesce("discount", F.lit(0)))
