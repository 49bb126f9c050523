"""A list of steps described by dataclasses, applied in order."""
import dataclasses
from dataclasses import dataclass, field
from enum import Enum
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T


class Kind(str, Enum):
    RENAME = "rename"
    CAST = "cast"
    DERIVE = "derive"
    DROP = "drop"
    FILTER = "filter"


@dataclass(frozen=True)
class Step:
    kind: Kind
    params: dict = field(default_factory=dict)


@dataclass
class Table:
    source: str
    target: str
    steps: list[Step] = field(default_factory=list)
    keys: tuple = ()

    @property
    def full_target(self):
        return f"dw.{self.target}"


PIPELINE = [
    Table("raw.sales_2023", "sales_clean", [
        Step(Kind.RENAME, {"id": "sale_id"}),
        Step(Kind.CAST, {"amount": "decimal(18,2)", "sale_id": T.LongType()}),
        Step(Kind.DERIVE, {"region_code": "upper(substr(region, 1, 3))", "is_web": "channel = 'web'"}),
        Step(Kind.DROP, {"columns": ["channel"]}),
        Step(Kind.FILTER, {"where": "amount > 0 AND region IS NOT NULL"}),
    ], keys=("sale_id",)),
    Table(source="raw.metrics", target="metrics_clean", steps=[
        Step(Kind.DERIVE, params={"load": "cpu + mem"}),
        Step(Kind.DROP, params=dict(columns=["cpu", "mem"])),
    ]),
]


def apply(df: DataFrame, step: Step) -> DataFrame:
    if step.kind == Kind.RENAME:
        for a, b in step.params.items():
            df = df.withColumnRenamed(a, b)
        return df
    elif step.kind is Kind.CAST:
        return df.withColumns({c: F.col(c).cast(t) for c, t in step.params.items()})
    elif step.kind == Kind.DERIVE:
        return df.selectExpr("*", *(f"{e} AS {n}" for n, e in step.params.items()))
    elif step.kind == Kind.DROP:
        return df.drop(*step.params["columns"])
    elif step.kind.value == "filter":
        return df.where(step.params["where"])
    raise ValueError(step.kind)


spark = SparkSession.builder.getOrCreate()
for t in PIPELINE:
    df = spark.table(t.source)
    for s in t.steps:
        df = apply(df, s)
    if t.keys:
        df = df.dropDuplicates(list(t.keys))
    df.write.mode("overwrite").saveAsTable(t.full_target)
