# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# customers.parquet(client key, name text, region word, joined date)
import polars as pl

orders = pl.scan_csv("orders.csv")
clients = pl.scan_parquet("customers.parquet")
joined = orders.join(clients, left_on="customer_id", right_on="client", how="inner")
joined.select("order_id", "customer_id", "region").collect().write_csv("placed.csv")
