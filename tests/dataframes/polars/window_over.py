# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
out = orders.select(
    "order_id",
    share=pl.col("price") / pl.col("price").sum().over("customer_id"),
    newest=pl.col("placed").max().over("status", "customer_id"),
    place=pl.col("price").rank("ordinal").over("status"),
    running=pl.col("qty").cum_sum().over("customer_id", order_by="order_id"),
)
out.write_parquet("windows.parquet")
