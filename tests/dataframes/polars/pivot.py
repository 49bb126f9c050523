# readings.csv(sensor small, kind word, value float)
import polars as pl

readings = pl.read_csv("readings.csv")
wide = readings.pivot(
    "kind", index="sensor", values="value", aggregate_function="mean", sort_columns=True
)
wide.sort("sensor").write_csv("wide.csv")
fixed = readings.pivot(
    on="kind", on_columns=["red", "blue"], index="sensor", values="value", aggregate_function="sum"
)
fixed.select("sensor", both=pl.col("red") + pl.col("blue")).write_csv("fixed.csv")
