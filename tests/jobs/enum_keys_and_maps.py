"""Members of an Enum as keys, objects that are sliced and reduced over, and the order of a dictionary's aggregates."""

from enum import Enum, auto
from functools import reduce

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


class Layer(Enum):
    RAW = auto()
    MART = auto()

    @property
    def schema(self):
        return {Layer.RAW: "raw", Layer.MART: "dw"}[self]

    def table(self, name):
        return f"{self.schema}.{name}"


class Steps:
    def __init__(self, *steps):
        self.steps = list(steps)

    def __or__(self, step):
        return Steps(*self.steps, step)

    def __iter__(self):
        return iter(self.steps)

    def __getitem__(self, which):
        return Steps(*self.steps[which]) if isinstance(which, slice) else self.steps[which]

    def __call__(self, df):
        return reduce(lambda done, step: step(done), self, df)


orders = spark.table(Layer.RAW.table("orders"))
steps = Steps(lambda df: df.withColumn("total", F.expr("amount * qty"))) | (lambda df: df.filter("total > 0"))
steps = steps | (lambda df: df.select("order_id", "total", "store"))
steps(orders).write.saveAsTable(Layer.MART.table("all_steps"))
steps[1:](orders.withColumn("total", F.col("discount"))).write.saveAsTable(Layer["MART"].table("later_steps"))
few = orders.groupBy("store").agg({"qty": "sum", "amount": "avg", "discount": "max"})
few.toDF("store", "first", "second", "third").write.saveAsTable(Layer.MART.table("few"))
many = orders.agg({name: "max" for name in orders.columns if name != "tags"} | {"*": "count"})
many.toDF(*[f"c{position}" for position in range(10)]).write.saveAsTable(Layer.MART.table("many"))
sessions = spark.table("raw.clicks").groupBy(F.session_window("ts", "5 minutes"), "customer_id").count()
assert sessions.columns == ["session_window", "customer_id", "count"]
