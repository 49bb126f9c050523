# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
out = (
    orders.group_by("customer_id")
    .agg(
        pl.col("order_id").sort(),
        newest_price=pl.col("price").sort_by("placed").last(),
        cheapest=pl.col("status").sort_by("price").first(),
        spread=pl.col("price").max() - pl.col("price").min(),
    )
    .sort("customer_id")
)
out.write_parquet("lists.parquet")
