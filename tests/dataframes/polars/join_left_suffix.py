# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# returns.csv(order_id id, status word, reason text)
import polars as pl

orders = pl.read_csv("orders.csv")
returns = pl.read_csv("returns.csv")
both = orders.join(returns, on="order_id", how="left", suffix="_return")
both.select("order_id", "status", "status_return", "reason").write_csv("both.csv")
