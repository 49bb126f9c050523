# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
limit = orders["price"].mean()
wanted = orders.filter(pl.col("status") == "red")["customer_id"]
out = orders.filter(pl.col("customer_id").is_in(wanted.implode()))
out.select("order_id", above=pl.col("price") > limit).write_csv("wanted.csv")
pl.DataFrame({"id": orders["order_id"], "double": orders["qty"] * 2}).write_csv("double.csv")
