"""General ledger: journal entries from several sources, config by class hierarchy and functools."""
from functools import cached_property, lru_cache, partial, reduce, singledispatch, wraps
from typing import Any
from pyspark.sql import DataFrame, SparkSession, Column
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def step(fn):
    @wraps(fn)
    def run(self, *args, **kwargs):
        out = fn(self, *args, **kwargs)
        self.history.append(fn.__name__)
        return out
    return run


class Ledger:
    SIGN = {"debit": 1, "credit": -1}

    def __init__(self, *sources: tuple[str, str, str, str]):
        self.sources = sources
        self.history: list[str] = []

    @staticmethod
    def _entry(table: str, key: str, amount: str, side: str) -> DataFrame:
        sign = Ledger.SIGN[side]
        return spark.table(table).select(
            F.concat(F.lit(table.split(".")[1] + ":"), F.col(key).cast("string")).alias("entry_id"),
            (F.col(amount) * sign).alias("amount"),
            F.lit(side).alias("side"),
        )

    @cached_property
    def entries(self) -> DataFrame:
        return reduce(DataFrame.unionByName, (self._entry(*s) for s in self.sources))

    @step
    def balance(self) -> DataFrame:
        return self.entries.groupBy("side").agg(F.sum("amount").alias("total"), F.count("entry_id").alias("n"))

    @step
    def outliers(self, k: float = 3.0) -> DataFrame:
        stats = self.entries.groupBy("side").agg(F.mean("amount").alias("mu"), F.stddev("amount").alias("sd"))
        z = (F.col("amount") - F.col("mu")) / F.col("sd")
        return self.entries.join(stats, "side").where(F.abs(z) > k).select("entry_id", z.alias("z"))


led = Ledger(("raw.orders", "order_id", "amount", "credit"), ("raw.returns", "order_id", "amount", "debit"))
for name in ("balance", "outliers"):
    getattr(led, name)().write.mode("overwrite").saveAsTable(f"dw.gl_{name}")
led.entries.write.mode("overwrite").saveAsTable("dw.gl_" + "_".join(led.history))
