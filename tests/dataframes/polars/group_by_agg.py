# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
totals = (
    orders.group_by("customer_id", maintain_order=True)
    .agg(
        pl.col("price").sum().alias("revenue"),
        pl.len().alias("orders"),
        pl.col("qty").filter(pl.col("status") == "blue").sum().alias("blue_qty"),
        first_day=pl.col("placed").min(),
        statuses=pl.col("status").n_unique(),
    )
    .sort("customer_id")
)
totals.write_parquet("totals.parquet")
