# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
out = orders.select(
    "order_id",
    label=pl.col("status").map_elements(lambda s: s[::-1], return_dtype=pl.String),
    band=pl.col("price").cut([25, 50, 75]).cast(pl.String),
    mapped=pl.col("status").replace({"red": "r", "blue": "b"}),
)
out.write_csv("mapped.csv")
