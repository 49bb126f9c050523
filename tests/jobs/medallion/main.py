"""Bronze to gold, with the steps in a package."""

from lake import gold
from lake.io import reader, writer
from lake.silver import clean_clicks, clean_customers as customers_of
from pyspark.sql import SparkSession


def run():
    spark = SparkSession.builder.getOrCreate()
    read, write = reader(spark), writer("dw")
    clicks = clean_clicks(read("clicks"))
    customers = customers_of(read("customers"))
    write(clicks, "silver_clicks")
    write(customers, "silver_customers")
    write(gold.engagement(clicks, customers), "gold_engagement")
    write(gold.funnel(spark.table("dw.silver_clicks")), "gold_funnel")


if __name__ == "__main__":
    run()
