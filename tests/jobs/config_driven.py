"""Several small marts from one configuration dictionary."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

CONFIG = {
    "sources": {"orders": "raw.orders", "products": "raw.products"},
    "marts": [
        {"name": "dw.by_category", "keys": ["category"], "measures": {"amount": "sum", "qty": "max"}},
        {"name": "dw.by_store", "keys": ["store", "status"], "measures": {"amount": "avg"}},
    ],
    "renames": {"title": "product_title"},
    "drop": ["tags", "cost"],
}
AGGREGATES = {"sum": F.sum, "max": F.max, "avg": F.avg}


def load(spark, config):
    return {alias: spark.table(name) for alias, name in config["sources"].items()}


def enrich(frames):
    joined = frames["orders"].join(frames["products"], on="product_id", how="left")
    for old, new in CONFIG["renames"].items():
        joined = joined.withColumnRenamed(old, new)
    return joined.drop(*CONFIG["drop"])


def build(df, mart):
    aggregations = [AGGREGATES[how](column).alias(f"{how}_{column}") for column, how in mart["measures"].items()]
    return df.groupBy(*mart["keys"]).agg(*aggregations)


def main():
    spark = SparkSession.builder.getOrCreate()
    base = enrich(load(spark, CONFIG)).cache()
    for mart in CONFIG["marts"]:
        build(base, mart).write.mode("overwrite").saveAsTable(mart["name"])
    base.write.mode("overwrite").parquet("s3://lake/silver/order_products/")


if __name__ == "__main__":
    main()
