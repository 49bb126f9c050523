# bands.csv(low int, high int, label word)
# values.csv(id id, value int)
import polars as pl

bands = pl.read_csv("bands.csv")
values = pl.read_csv("values.csv")
hit = values.join_where(bands, pl.col("value") >= pl.col("low"), pl.col("value") < pl.col("high"))
hit.select("id", "label").sort("id", "label").write_csv("hits.csv")
