import polars as pl
df = pl.read_csv("sales.csv", schema={"sku": pl.String, "units": pl.Int64, "unit_price": pl.Float64, "sold_at": pl.Date})
out = (
    df.lazy()
    .with_columns(revenue=pl.col("units") * pl.col("unit_price"), month=pl.col("sold_at").dt.month())
    .group_by("sku", "month")
    .agg(pl.sum("revenue"), pl.max("units").alias("peak"))
    .filter(pl.col("revenue") > 100)
    .sort("revenue", descending=True)
    .collect()
)
out.write_csv("monthly.csv")
