"""Tables described by dataclasses, with defaults and methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


class Layer(str, Enum):
    RAW = "raw"
    DW = "dw"


class Rule(NamedTuple):
    column: str
    expression: str


@dataclass(frozen=True)
class Table:
    name: str
    keys: tuple[str, ...]
    layer: Layer = Layer.RAW
    rules: list[Rule] = field(default_factory=list)
    drop: set[str] = field(default_factory=set)

    @property
    def full_name(self) -> str:
        return f"{self.layer.value}.{self.name}"

    def target(self) -> str:
        return f"{Layer.DW.value}.{self.name}_clean"


TABLES = [
    Table("clicks", ("session_id", "ts"), rules=[Rule("kind", "lower(kind)"), Rule("hour", "date_trunc('hour', ts)")]),
    Table("employees", keys=("emp_id",), drop={"salary", "manager_id"}, rules=[Rule("name", "initcap(trim(name))")]),
    Table("rates", ("currency", "day")),
]

spark = SparkSession.builder.getOrCreate()
for table in TABLES:
    df = spark.table(table.full_name)
    for column, expression in table.rules:
        df = df.withColumn(column, F.expr(expression))
    kept = [name for name in df.columns if name not in table.drop]
    df.select(kept).dropDuplicates(list(table.keys)).write.mode("overwrite").saveAsTable(table.target())
