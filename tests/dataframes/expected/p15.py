import polars as pl
class Job:
    source = "in/events.parquet"
    def __init__(self, out):
        self.out = out
    def transform(self, lf):
        return (lf.filter(pl.col("type").is_in(["view", "buy"]))
                  .with_columns(pl.col("ts").cast(pl.Datetime).alias("at"))
                  .select("user", "at", amount=pl.coalesce(pl.col("price"), pl.lit(0))))
    def run(self):
        self.transform(pl.scan_parquet(self.source)).sink_parquet(self.out)
if __name__ == "__main__":
    Job("out/events.parquet").run()
