# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
first = orders.partition_by("status", maintain_order=True)[0]
first.select("order_id", "price").write_csv("first_part.csv")
