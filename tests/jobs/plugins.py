"""Plug-ins register through __init_subclass__; metadata by class attributes; abstract properties."""
import abc
import enum
from typing import ClassVar, NamedTuple
from pyspark.sql import DataFrame, SparkSession, functions as F


class Layer(enum.Enum):
    BRONZE = "dw_b"
    SILVER = "dw_s"

    @property
    def prefix(self):
        return f"dw.{self.value}_"


class Col(NamedTuple):
    name: str
    expr: str
    keep: bool = True


class Model(abc.ABC):
    registry: ClassVar[dict] = {}
    layer: ClassVar[Layer] = Layer.BRONZE

    def __init_subclass__(cls, *, name=None, **kw):
        super().__init_subclass__(**kw)
        cls.name = name or cls.__name__.lower()
        Model.registry[cls.name] = cls

    def __init__(self, spark):
        self.spark = spark

    @property
    @abc.abstractmethod
    def columns(self) -> list[Col]: ...

    @abc.abstractmethod
    def source(self) -> DataFrame: ...

    def build(self) -> DataFrame:
        df = self.source()
        for c in self.columns:
            df = df.withColumn(c.name, F.expr(c.expr))
        return df.select(*(c.name for c in self.columns if c.keep))

    def save(self):
        self.build().write.mode("overwrite").saveAsTable(self.layer.prefix + self.name)


class Orders(Model):
    columns = [Col("id", "order_id"), Col("_raw", "coalesce(discount, 0)", keep=False), Col("net", "amount - _raw"), Col("store", "upper(store)")]

    def source(self):
        return self.spark.table("raw.orders")


class Big(Model, name="big_orders"):
    layer = Layer.SILVER
    depends = "orders"

    @property
    def columns(self):
        return [Col("id", "id"), Col("bucket", "width_bucket(net, 0, 100, 10)")]

    def source(self):
        dep = Model.registry[self.depends]
        return self.spark.table(dep.layer.prefix + dep.name).filter(F.col("net") > 100)


if __name__ == "__main__":
    spark = SparkSession.builder.getOrCreate()
    for name, cls in Model.registry.items():
        cls(spark).save()
