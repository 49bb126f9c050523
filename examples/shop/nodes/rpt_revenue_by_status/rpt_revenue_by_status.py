"""Revenue of each tier by the status of its orders: a plain Spark job, which spark-submit could run as well."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

STATUSES = ["completed", "pending", "shipped", "returned", "cancelled"]


def main() -> None:
    spark = SparkSession.builder.appName("rpt_revenue_by_status").getOrCreate()
    orders = spark.table("fct_orders")
    revenue = orders.groupBy("customer_tier").pivot("status", STATUSES).agg(F.sum("amount"))
    revenue.fillna(0).write.mode("overwrite").saveAsTable("rpt_revenue_by_status")
    spark.stop()


if __name__ == "__main__":
    main()
