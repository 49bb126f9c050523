# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# customers.parquet(customer_id key, name text, region word, joined date)
from pathlib import Path

import polars as pl


class Pipeline:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self) -> pl.LazyFrame:
        return pl.scan_csv("orders.csv").with_columns(total=pl.col("qty") * pl.col("price"))

    def enrich(self, orders: pl.LazyFrame) -> pl.LazyFrame:
        customers = pl.scan_parquet("customers.parquet").select("customer_id", "region")
        return orders.join(customers, on="customer_id", how="left")

    def run(self) -> None:
        self.folder.mkdir(exist_ok=True)
        frame = self.enrich(self.load())
        frame.select("order_id", "region", "total").collect().write_parquet(
            self.folder / "orders.parquet"
        )


Pipeline(Path("mart")).run()
