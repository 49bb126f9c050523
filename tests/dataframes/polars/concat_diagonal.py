# old.csv(id id, amount float)
# new.csv(id id, amount float, channel word)
import polars as pl

old = pl.scan_csv("old.csv")
new = pl.scan_csv("new.csv")
pl.concat([old, new], how="diagonal").collect().write_parquet("history.parquet")
pl.concat(
    [old.select("id").collect(), new.select("channel").collect()], how="horizontal"
).write_csv("side.csv")
