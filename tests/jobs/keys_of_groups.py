"""Python functions over groups that take the key, and functions that keep state."""

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.streaming.state import GroupStateTimeout

spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")


def peak(key, frame):
    store, status = key
    return pd.DataFrame([[store, status, frame.qty.max()]], columns=["store", "status", "peak"])


peaks = orders.groupBy("store", "status").applyInPandas(peak, "store string, status string, peak int")
peaks.write.saveAsTable("dw.peaks")


def count(key, frames, state):
    total = sum(len(frame) for frame in frames)
    yield pd.DataFrame({"customer_id": [key[0]], "n": [total]})


clicks = spark.readStream.table("raw.clicks").select("customer_id", "ts")
counted = clicks.groupBy("customer_id").applyInPandasWithState(
    count,
    outputStructType="customer_id long, n long",
    stateStructType="n long",
    outputMode="update",
    timeoutConf=GroupStateTimeout.NoTimeout,
)
counted.writeStream.outputMode("update").toTable("dw.click_counts")
