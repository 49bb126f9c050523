# sales.csv(shop id, q1 float, q2 float, q3 float, note word)
import polars as pl

sales = pl.read_csv("sales.csv")
long = sales.unpivot(
    on=["q1", "q2", "q3"], index="shop", variable_name="quarter", value_name="amount"
)
long.write_csv("long.csv")
sales.drop("note").unpivot(index=["shop"]).filter(pl.col("value") > 30).write_csv("large.csv")
