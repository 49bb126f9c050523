import polars as pl
import polars.selectors as cs

df = pl.read_csv("s.csv")
df = df.with_columns(
    pl.col("a").fill_null(0).alias("a_filled"), pl.col("a").is_null().alias("a_missing")
)
df.select(pl.sum_horizontal(cs.ends_with("_missing")).alias("n")).write_csv("o.csv")
