import polars as pl
def add_ratio(df, num, den):
    return df.with_columns((pl.col(num) / pl.col(den)).alias(f"{num}_per_{den}"))
df = pl.read_excel("kpi.xlsx")
for pair in [("sales", "visits"), ("cost", "visits")]:
    df = add_ratio(df, *pair)
df.select("shop", "sales_per_visits", "cost_per_visits").write_excel("ratios.xlsx")
