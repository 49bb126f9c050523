# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
orders.select("status", "customer_id").unique(maintain_order=True).write_csv("pairs.csv")
orders.unique(subset=["customer_id"], keep="first", maintain_order=True).select(
    "customer_id", "price"
).write_csv("first.csv")
orders.top_k(5, by="price").select("order_id").write_csv("top.csv")
