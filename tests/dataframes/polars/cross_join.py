# colors.csv(color word, code int)
# sizes.csv(size small, label text)
import polars as pl

colors = pl.read_csv("colors.csv")
sizes = pl.read_csv("sizes.csv")
grid = colors.join(sizes, how="cross")
grid.select("color", "size", tag=pl.format("{}-{}", "code", "label")).write_csv("grid.csv")
