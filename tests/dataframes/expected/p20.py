import duckdb
import polars as pl
import polars.selectors as cs

prices = pl.read_csv("prices.csv", schema={"name": pl.String, "close": pl.Float64, "volume": pl.Int64})
prices = prices.with_columns(pl.col("volume").cast(pl.Float64).alias("v"), label=pl.col("name").cast(pl.String))
prices.select(cs.float()).write_csv("floats.csv")
prices.select(cs.string()).write_csv("texts.csv")
top = duckdb.sql("select name, max(close) as high from prices group by name").pl()
top.with_columns(pl.col("high").round(1)).write_csv("high.csv")
