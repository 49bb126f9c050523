# visits.csv(at id, page word, ms int, user key)
import polars as pl

visits = pl.read_csv("visits.csv").sort("at")
out = visits.rolling("at", period="9i", group_by="page").agg(
    pl.col("ms").mean().alias("ms_near"), pl.col("user").n_unique().alias("users")
)
out.sort("at").write_csv("near.csv")
