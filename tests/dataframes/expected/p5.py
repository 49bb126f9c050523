import polars as pl
t = pl.read_csv("t.csv", columns=["k", "v", "d"])
out = t.select(
    "k",
    prev=pl.col("v").shift(1).over("k", order_by="d"),
    avg=pl.col("v").mean().over("k"),
    n=pl.len().over("k"),
    r=pl.col("v").rank().over("k"),
)
out.write_parquet("w.parquet")
