# metrics.csv(day day, x_one float, x_two float, y_one float, label word)
import polars as pl
import polars.selectors as cs

metrics = pl.read_csv("metrics.csv")
metrics.select("label", cs.starts_with("x_")).write_csv("xs.csv")
metrics.select(cs.all() - cs.by_name("day", "label")).write_csv("numbers.csv")
metrics.with_columns(pl.col("^x_.*$").sum().over("label").name.suffix("_total")).write_csv(
    "sums.csv"
)
metrics.select(pl.exclude("day"), total=pl.sum_horizontal(cs.contains("_one"))).write_csv(
    "ones.csv"
)
