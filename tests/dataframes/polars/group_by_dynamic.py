# events.parquet(at date, kind word, size int)
import polars as pl

events = pl.read_parquet("events.parquet").sort("at")
weekly = events.group_by_dynamic("at", every="1w", group_by="kind").agg(total=pl.col("size").sum())
weekly.write_parquet("weekly.parquet")
