# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

(
    pl.scan_csv("orders.csv")
    .with_columns(day=pl.col("placed").str.to_date())
    .select("order_id", "day", "price")
    .sink_parquet("clean.parquet")
)
(
    pl.scan_parquet("clean.parquet")
    .group_by(pl.col("day").dt.month().alias("month"))
    .agg(pl.col("price").mean().alias("average"))
    .sort("month")
    .sink_csv("monthly.csv")
)
