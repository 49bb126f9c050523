from dataclasses import dataclass, field
from pyspark.sql import SparkSession
from pyspark.sql.functions import *
from pyspark.sql.window import Window as W

@dataclass
class Table:
    name: str
    keys: list
    measures: dict = field(default_factory=dict)
    where: str = "1 = 1"

class Base:
    def __init__(self, spark, spec):
        self.spark = spark
        self.spec = spec
        self._df = None
    @property
    def df(self):
        if self._df is None:
            self._df = self.spark.table(self.spec.name).where(self.spec.where)
        return self._df
    def run(self):
        raise NotImplementedError

class Aggregation(Base):
    def __init__(self, spark, spec, suffix="_agg"):
        super().__init__(spark, spec)
        self.suffix = suffix
    def run(self):
        exprs = {k: v for k, v in self.spec.measures.items()}
        out = self.df.groupBy(self.spec.keys).agg(exprs)
        for k, v in exprs.items():
            out = out.withColumnRenamed(f"{v}({k})", f"{k}{self.suffix}")
        return out

spark = SparkSession.builder.getOrCreate()
spec = Table("raw.orders", ["region", "status"], {"amount": "sum", "qty": "max", "discount": "avg"}, where="amount > 0")
res = Aggregation(spark, spec).run()
res.write.saveAsTable("mart.classes")
e = spark.table("raw.events")
s = e.withColumn("prev", lag("ts").over(W.partitionBy("customer_id").orderBy("ts")))
s = s.withColumn("gap", unix_timestamp("ts") - unix_timestamp("prev"))
s = s.withColumn("new", when(col("prev").isNull() | (col("gap") > 1800), 1).otherwise(0))
s = s.withColumn("session", sum("new").over(W.partitionBy("customer_id").orderBy("ts").rowsBetween(W.unboundedPreceding, 0)))
s.select("event_id", "customer_id", "session", upper(substring("kind", 1, 3)).alias("k")).write.mode("overwrite").saveAsTable("mart.classes_sessions")
