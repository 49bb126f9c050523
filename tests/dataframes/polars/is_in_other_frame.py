# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# vip.csv(client small, since day)
import polars as pl

orders = pl.read_csv("orders.csv")
vip = pl.read_csv("vip.csv")
orders.filter(pl.col("customer_id").is_in(vip["client"].implode())).select("order_id").write_csv(
    "vip_orders.csv"
)
