import polars as pl
a = pl.read_parquet("a.parquet", columns=["id", "x", "y"])
b = pl.read_parquet("b.parquet", columns=["id", "y", "z"])
j = a.join(b, on="id", how="inner", suffix="_b")
j.select(pl.col("id"), (pl.col("x") + pl.col("z")).alias("s"), pl.col("y_b")).write_parquet("j.parquet")
