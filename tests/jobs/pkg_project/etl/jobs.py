from abc import ABC, abstractmethod
from pyspark.sql import functions as F

from .common import clean, get_spark, money

JOBS = []


def job(cls):
    JOBS.append(cls)
    return cls


class BaseJob(ABC):
    sources: tuple = ()
    target: str

    def __init__(self, settings):
        self.settings = settings
        self.spark = get_spark()

    def extract(self):
        return {s: self.spark.table(self.settings.table(s)) for s in self.sources}

    @abstractmethod
    def transform(self, **frames): ...

    def load(self, df):
        df.write.mode("overwrite").saveAsTable(self.settings.out(self.target))

    def __call__(self):
        self.load(self.transform(**self.extract()))


@job
class Customers(BaseJob):
    sources = ("customers",)
    target = "customers"

    def transform(self, customers):
        return customers.select("customer_id", clean("email"), clean("country"), "signup_date")


@job
class Revenue(BaseJob):
    sources = ("orders", "rates")
    target = "revenue"

    def transform(self, orders, rates):
        eur = rates.where(F.col("currency") == "EUR")
        j = orders.join(eur, F.to_date(orders.placed_at) == eur.day, "left")
        return j.select("order_id", money("amount", rate=F.coalesce(F.col("rate"), F.lit(1.0))), F.col("day").alias("rate_day"))
