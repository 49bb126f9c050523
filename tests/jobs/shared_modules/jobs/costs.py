from common import helpers as h
from pyspark.sql import functions as F


def run(spark, settings):
    products = spark.table(settings.table("products"))
    orders = h.tidy(spark.table(settings.table("orders")))
    cost = orders.join(products, "product_id").groupBy("category").agg(F.sum(F.expr("qty * cost")).alias("cost"))
    cost.write.mode("overwrite").saveAsTable(settings.output("costs"))
