# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
out = orders.select(
    "order_id",
    pl.when(pl.col("status") == "red")
    .then(pl.lit("stop"))
    .when(pl.col("qty") > 50)
    .then(pl.col("placed"))
    .otherwise(pl.lit("go"))
    .alias("signal"),
    level=pl.when(pl.col("price") > 50).then("qty").otherwise(0),
)
out.write_csv("signals.csv")
