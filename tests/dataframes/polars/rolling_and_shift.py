# series.csv(at id, value float, group word)
import polars as pl

series = pl.read_csv("series.csv").sort("at")
out = series.with_columns(
    mean3=pl.col("value").rolling_mean(3),
    before=pl.col("value").shift(1).over("group"),
    change=pl.col("value").diff(),
    top=pl.col("value").cum_max(),
)
out.write_parquet("rolled.parquet")
