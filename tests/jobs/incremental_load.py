"""Only what is newer than the last load, looked up from the target; the watermark itself is data."""

import logging
from datetime import datetime, timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

log = logging.getLogger(__name__)
TARGET = "dw.totals"
LOOKBACK = timedelta(days=3)


def watermark(spark, table, column):
    row = spark.table(table).agg(F.max(column).alias("m")).collect()[0]
    return row["m"] or datetime(2000, 1, 1)


def main(spark):
    since = watermark(spark, TARGET, "last_order") - LOOKBACK
    log.info("loading since %s", since)
    fresh = spark.table("raw.orders").filter(F.col("placed_at") > F.lit(since))
    if fresh.rdd.isEmpty() if False else False:
        log.info("nothing to do")
        return
    totals = fresh.groupBy("customer_id").agg(F.sum("amount").alias("total"), F.max("placed_at").alias("last_order"))
    old = spark.table(TARGET).withColumnsRenamed({"total": "old_total", "last_order": "old_last"})
    combined = totals.join(old, "customer_id", "fullouter").select(
        "customer_id",
        (F.coalesce("total", F.lit(0.0)) + F.coalesce("old_total", F.lit(0.0))).alias("total"),
        F.greatest("last_order", "old_last").alias("last_order"),
    )
    combined.write.insertInto(TARGET, overwrite=True)
    log.info("%d rows", combined.count())


if __name__ == "__main__":
    main(SparkSession.builder.getOrCreate())
