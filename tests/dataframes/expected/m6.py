import polars as pl
from sklearn.linear_model import LinearRegression
df = pl.read_parquet("h.parquet").filter(pl.col("sqft") > 0)
reg = LinearRegression()
reg.fit(df.select("sqft", "beds").to_numpy(), df["price"].to_numpy())
