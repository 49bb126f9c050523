# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# customers.parquet(customer_id key, name text, region word, joined date)
import functools

import polars as pl

orders = pl.read_csv("orders.csv")
aggregates = [
    orders.group_by("customer_id").agg(getattr(pl.col("price"), name)().alias(f"price_{name}"))
    for name in ("min", "max")
]
both = functools.reduce(lambda left, right: left.join(right, on="customer_id"), aggregates)
both.sort("customer_id").write_parquet("both.parquet")
