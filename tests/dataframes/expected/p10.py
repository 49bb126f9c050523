import polars as pl
o = pl.read_csv("o.csv", columns=["cust", "amt", "ok"])
c = pl.read_csv("c.csv", columns=["cust", "seg"])
res = pl.SQLContext(o=o, c=c).execute("SELECT c.seg, avg(o.amt) AS mean_amt FROM o LEFT JOIN c USING (cust) WHERE o.ok GROUP BY c.seg", eager=True)
res.with_columns(pl.col("mean_amt").round(2)).write_csv("seg.csv")
