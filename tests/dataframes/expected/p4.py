import polars as pl
def latest(df: pl.DataFrame, key: str, at: str) -> pl.DataFrame:
    return df.sort(at).unique(subset=[key], keep="last")
events = pl.read_csv("events.csv")
latest(events, "device", "ts").select("device", "status").write_database("device_state", "sqlite:///x.db")
