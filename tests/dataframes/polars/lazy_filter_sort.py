# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

(
    pl.scan_csv("orders.csv")
    .filter(pl.col("status") == "red", pl.col("qty") > 10)
    .sort("placed", "order_id")
    .select(["order_id", "price"])
    .sink_parquet("red.parquet")
)
