# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
cheap = pl.sql("SELECT order_id, price * qty AS total FROM orders WHERE price < 60").collect()
cheap.write_csv("cheap.csv")
orders.sql("SELECT status, qty FROM self WHERE qty > 20").write_csv("large.csv")
