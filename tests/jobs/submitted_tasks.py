"""Tasks of an orchestrator: a decorated function is started with submit, and its result awaited."""

from prefect import flow, task
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


@task(name="read")
def read(table):
    frame = spark.table(f"raw.{table}")
    return frame, frame.groupBy("store").agg(F.sum("amount").alias("amount"))


@task
def publish(frame, target):
    frame.write.mode("overwrite").saveAsTable(f"dw.{target}")
    return frame


@flow(log_prints=True)
def nightly():
    orders, totals = read.submit("orders").result()
    slim = orders.where("status = 'paid'").select("order_id", "qty")
    published = publish.submit(slim, "paid_orders")
    publish.submit(totals, "store_totals").result()
    publish.fn(published.result().groupBy("order_id").agg(F.max("qty").alias("most")), "most")


if __name__ == "__main__":
    nightly()
