# wide.csv(id id, a1 float, a2 float, a3 float)
import polars as pl

wide = pl.read_csv("wide.csv")
frame = wide
for name in ["a1", "a2"]:
    frame = frame.with_columns((pl.col(name) - pl.col(name).mean()).alias(f"{name}_centered"))
frame.select(pl.col("id"), pl.col("a1_centered", "a2_centered")).write_parquet("centered.parquet")
