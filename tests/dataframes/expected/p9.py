import polars as pl
x = pl.scan_csv("x.csv").select("id", "v")
y = pl.scan_csv("y.csv").select("id", "w")
z = pl.concat([x.rename({"v": "val"}), y.rename({"w": "val"})])
bad = pl.scan_csv("bad.csv").select("id")
z.join(bad, on="id", how="anti").sink_parquet("z.parquet")
