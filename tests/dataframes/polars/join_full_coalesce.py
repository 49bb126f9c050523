# left.csv(k key, a int)
# right.csv(k key, b int)
import polars as pl

left = pl.read_csv("left.csv").unique(subset="k", keep="first", maintain_order=True)
right = pl.read_csv("right.csv").unique(subset="k", keep="first", maintain_order=True)
left.join(right, on="k", how="full", coalesce=True).sort("k").write_csv("merged.csv")
left.join(right, on="k", how="full").sort("k", "k_right").write_csv("apart.csv")
