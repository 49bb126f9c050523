from __future__ import annotations
from abc import ABC, abstractmethod
from collections import UserDict, deque
from dataclasses import dataclass, field, fields, astuple, replace
from operator import attrgetter, itemgetter
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()


@dataclass(order=True)
class Measure:
    order: int
    name: str = field(compare=False)
    expr: str = field(compare=False)
    fn: str = field(default="sum", compare=False)

    @property
    def column(self):
        return getattr(F, self.fn)(F.expr(self.expr)).alias(self.name)


class Cube:
    def __init__(self, table: str):
        self._table = table
        self._measures: list[Measure] = []
        self._filter = None

    @property
    def filter(self):
        return self._filter

    @filter.setter
    def filter(self, value):
        self._filter = value if isinstance(value, str) else " AND ".join(value)

    def __iadd__(self, m: Measure):
        self._measures.append(m)
        return self

    def __len__(self):
        return len(self._measures)

    def __contains__(self, name):
        return any(m.name == name for m in self._measures)

    def __iter__(self):
        return iter(sorted(self._measures, key=attrgetter("order")))

    def __call__(self, *dims):
        df = spark.table(self._table)
        if self.filter:
            df = df.where(self.filter)
        return df.groupBy(*dims).agg(*(m.column for m in self))


cube = Cube("raw.orders")
cube += Measure(2, "units", "qty")
cube += Measure(1, "net", "amount - coalesce(discount, 0)")
cube += Measure(3, "avg_amount", "amount", fn="avg")
cube.filter = ["status = 'paid'", "amount > 0"]
if "net" in cube and len(cube) == 3:
    cube("store").write.mode("overwrite").saveAsTable("dw.cube_store")
by = cube("store", F.year("placed_at").alias("y"))
by.select("y", *map(itemgetter(0), [("net", 1), ("units", 2)])).write.mode("overwrite").saveAsTable("dw.cube_year")
queue = deque([("a", "cpu"), ("b", "mem")])
while queue:
    name, c = queue.popleft()
    spark.table("raw.metrics").select("host", c).write.mode("overwrite").saveAsTable(f"dw.q_{name}")
spec = replace(Measure(1, "x", "disk"), fn="max")
spark.table("raw.metrics").groupBy("host").agg(spec.column).write.mode("overwrite").saveAsTable("dw.q_x")
