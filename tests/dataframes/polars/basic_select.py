# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
result = orders.select("order_id", pl.col("qty"), amount=pl.col("qty") * pl.col("price"))
result.write_parquet("amounts.parquet")
