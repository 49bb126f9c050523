import polars as pl
q = pl.read_csv("q.csv", columns=["store", "metric", "value"])
p = q.pivot(on="metric", index="store", values="value", aggregate_function="sum")
p.write_csv("p.csv")
d = q.with_columns(is_max=pl.col("value") == pl.col("value").max().over("metric")).filter("is_max")
d.select("store", "metric").write_csv("d.csv")
