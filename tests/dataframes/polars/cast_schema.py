# raw.csv(id id, amount float, flag flag, note text)
import polars as pl

raw = pl.read_csv("raw.csv")
out = raw.cast({"amount": pl.Int64, "flag": pl.String}).select(pl.all().exclude("note"))
out.write_parquet("typed.parquet")
