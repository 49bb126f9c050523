import polars as pl
from pathlib import Path
RAW = Path("data/raw")
trips = pl.scan_parquet(RAW / "trips.parquet")
zones = pl.scan_csv(RAW / "zones.csv").select(pl.col("zone_id"), pl.col("borough").alias("area"))
res = (
    trips.join(zones, left_on="pickup_zone", right_on="zone_id", how="left")
    .group_by(pl.col("pickup_at").dt.truncate("1h").alias("hour"), "area")
    .agg(
        trips=pl.len(),
        fare=pl.col("fare").mean().round(2),
        long=(pl.col("distance") > 10).sum(),
    )
)
res.sink_parquet("data/hourly.parquet")
