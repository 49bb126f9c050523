# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
import polars as pl

orders = pl.read_csv("orders.csv")
out = orders.with_columns(
    (pl.col("price") * 1.2).alias("gross"),
    pl.col("status").str.to_uppercase(),
    half=pl.col("qty") / 2,
)
out = out.with_columns(
    [pl.col("qty").cast(pl.Float64).alias("qty_float"), pl.lit("shop").alias("origin")]
)
out.write_csv("wide.csv")
