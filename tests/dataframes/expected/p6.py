import polars as pl
wide = pl.read_csv("wide.csv", columns=["id", "jan", "feb", "mar"])
wide.unpivot(["jan", "feb", "mar"], index="id", variable_name="month", value_name="qty").filter(pl.col("qty") > 0).write_csv("tall.csv")
