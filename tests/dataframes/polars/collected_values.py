# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# vip.csv(client small, since day)
import polars as pl

orders = pl.read_csv("orders.csv")
vip = pl.read_csv("vip.csv")
clients = vip["client"].to_list()
orders.filter(pl.col("customer_id").is_in(clients)).select("order_id").write_csv("known.csv")
highest = vip.select(pl.col("client").max()).item()
orders.filter(pl.col("customer_id") > highest).select("order_id").write_csv("above.csv")
