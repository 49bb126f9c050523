import polars as pl
from polars import col, when, lit
logs = pl.scan_ndjson("logs.ndjson")
(
    logs.select(
        col("user"),
        when(col("code") >= 500).then(lit("error")).when(col("code") >= 400).then(lit("client")).otherwise(lit("ok")).alias("kind"),
        col("ms").fill_null(0),
        col("path").str.split("?").list.first().alias("route"),
    )
    .filter(col("kind") != "ok")
    .sink_csv("errors.csv")
)
