# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

DETAILED = False

orders = pl.read_csv("orders.csv")
if DETAILED:
    out = orders.select("order_id", "price", "qty")
else:
    out = orders.select("order_id", "price")
out.write_csv("branch.csv")
