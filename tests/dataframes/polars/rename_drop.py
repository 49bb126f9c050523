# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
out = (
    orders.rename({"order_id": "id", "placed": "day"})
    .drop("price", "product_id")
    .with_row_index("row")
)
out.write_csv("renamed.csv")
