import pandas as pd
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import *

spark = SparkSession.builder.getOrCreate()


@pandas_udf(DoubleType())
def mean_udf(v: pd.Series) -> float:
    return v.mean()


@pandas_udf("string")
def glue(a: pd.Series, b: pd.Series) -> pd.Series:
    return a + b


o = spark.table("raw.orders")
o.groupBy("store").agg(mean_udf(o["amount"]).alias("m"), mean_udf("qty").alias("q")).write.saveAsTable("dw.pd1")
o.select("order_id", glue("store", "status").alias("g"), glue(F.upper("store"), F.lit("x")).alias("h")).write.saveAsTable("dw.pd2")


def norm(key, pdf):
    return pdf


out_schema = "store string, order_id long, z double"
o.select("store", "order_id", "amount").groupby("store").applyInPandas(norm, schema=out_schema).filter(F.col("z") > 1).write.saveAsTable("dw.pd3")


def merge(l, r):
    return l


a = spark.table("raw.sales_2022").groupBy("region")
b = spark.table("raw.sales_2023").groupBy("region")
a.cogroup(b).applyInPandas(merge, schema="region string, total double").write.saveAsTable("dw.pd4")
py = F.udf(lambda x: x * 2, "double")


def classify(amount, qty):
    return f"{amount} of {qty}"


classify_udf = F.udf(classify, StringType())
spark.udf.register("classify_sql", classify, "string")
o.withColumn("twice", py("amount")).withColumn("cls", classify_udf("amount", F.col("qty"))).select("order_id", "twice", "cls").where("cls <> 'y'").write.saveAsTable("dw.pd5")
o.createOrReplaceTempView("ov")
spark.sql("SELECT classify_sql(amount, qty) AS c, count(*) AS n FROM ov GROUP BY classify_sql(amount, qty)").write.saveAsTable("dw.pd6")
