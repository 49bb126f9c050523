"""A pipeline as classes: a base with template methods, and what differs in the heirs."""

from abc import ABC, abstractmethod

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


class Job(ABC):
    target: str = ""
    keys: list[str] = []

    def __init__(self, spark: SparkSession):
        self.spark = spark
        self.frames: dict[str, DataFrame] = {}

    def source(self, name: str) -> DataFrame:
        if name not in self.frames:
            self.frames[name] = self.spark.table(f"raw.{name}")
        return self.frames[name]

    @abstractmethod
    def build(self) -> DataFrame: ...

    def finish(self, df: DataFrame) -> DataFrame:
        return df.dropDuplicates(self.keys) if self.keys else df

    def run(self) -> None:
        self.finish(self.build()).write.mode("overwrite").saveAsTable(self.target)


class Returns(Job):
    target = "dw.returned_orders"
    keys = ["order_id"]

    def build(self):
        orders, returns = self.source("orders"), self.source("returns")
        joined = orders.join(returns, orders.order_id == returns.order_id, "inner")
        return joined.select(
            orders["order_id"],
            orders.amount.alias("paid"),
            returns.amount.alias("refunded"),
            self.share(returns.amount, orders.amount).alias("share"),
            F.upper(returns.reason).alias("reason"),
        )

    @staticmethod
    def share(part, whole):
        return F.when(whole > 0, F.round(part / whole, 2))


class Customers(Job):
    target = "dw.customer_days"

    def __init__(self, spark, day="signup_date"):
        super().__init__(spark)
        self.day = day

    @property
    def columns(self):
        return ["customer_id", "country", self.day]

    def build(self):
        return self.source("customers").select(*self.columns).withColumn("age", F.datediff(F.current_date(), self.day))

    def finish(self, df):
        return super().finish(df).filter(F.col("age") >= 0)


if __name__ == "__main__":
    session = SparkSession.builder.getOrCreate()
    for job in (Returns, Customers):
        job(session).run()
