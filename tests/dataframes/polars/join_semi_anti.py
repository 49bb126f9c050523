# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# blocked.csv(customer_id small, reason text)
import polars as pl

orders = pl.read_csv("orders.csv")
blocked = pl.read_csv("blocked.csv")
orders.join(blocked, on="customer_id", how="anti").select("order_id", "price").write_csv(
    "allowed.csv"
)
orders.join(blocked, on="customer_id", how="semi").select("order_id", "qty").write_csv("held.csv")
