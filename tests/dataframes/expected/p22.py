import polars as pl

a = pl.read_csv("a.csv", columns=["k", "d", "x"]).sort("d")
b = pl.read_csv("b.csv", columns=["k", "d", "y"]).sort("d")
j = a.join_asof(b, on="d", by="k").with_columns(
    pl.col("y").fill_null(strategy="forward").over("k").alias("filled"),
    pl.col("x").rolling_std(3).over("k").alias("spread"),
)
j.select("filled", "spread").write_csv("j.csv")
