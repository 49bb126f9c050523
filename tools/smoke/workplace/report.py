import polars as pl

orders = pl.scan_csv("raw/orders.csv")
daily = (
    orders.filter(pl.col("status") == "paid")
    .with_columns(net=pl.col("qty") * pl.col("price"))
    .group_by("day")
    .agg(pl.col("net").sum().alias("revenue"), n=pl.len())
)
daily.sink_parquet("mart/daily.parquet")
