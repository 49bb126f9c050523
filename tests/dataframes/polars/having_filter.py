# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
busy = (
    orders.group_by("customer_id")
    .agg(n=pl.len(), qty=pl.col("qty").sum())
    .filter(pl.col("qty") > 150)
    .sort("customer_id")
)
busy.write_csv("busy.csv")
