import polars as pl
import polars.selectors as cs
df = pl.read_csv("m.csv", columns=["id", "a_x", "a_y", "b"])
df.select("id", cs.starts_with("a_") * 2, pl.sum_horizontal(cs.starts_with("a_")).alias("tot")).write_csv("m2.csv")
df.with_columns(pl.col("b").name.suffix("_copy")).drop("b").write_csv("m3.csv")
