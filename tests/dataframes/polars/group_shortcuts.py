# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv").select("status", "qty", "price")
orders.group_by("status").mean().sort("status").write_csv("means.csv")
orders.group_by("status").len().sort("status").write_csv("counts.csv")
orders.group_by(pl.col("status").str.slice(0, 1).alias("letter")).agg(
    pl.all().exclude("status").max()
).sort("letter").write_csv("tops.csv")
