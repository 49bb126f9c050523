import pyspark.sql.functions as F
from . import job


@job("orders", owner="sales")
def build(frames):
    o, p = frames["o"], frames["p"]
    j = o.join(p, F.col("o.product_id") == F.col("p.product_id"), "left")
    margin = (F.col("p.price") - F.col("p.cost")) * F.col("o.qty")
    return j.select("o.order_id", "p.title", margin.alias("margin"), F.when(margin > 0, "ok").otherwise("loss").alias("flag"))
