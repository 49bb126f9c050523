"""match statements over dataclass steps."""
from dataclasses import dataclass, field
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


@dataclass
class Rename:
    old: str
    new: str


@dataclass
class Keep:
    columns: list[str]


@dataclass
class Calc:
    name: str
    op: str
    args: tuple


@dataclass
class Flow:
    source: str
    target: str
    steps: list = field(default_factory=list)

    def then(self, *steps):
        self.steps.extend(steps)
        return self


def calc(op, args):
    match (op, args):
        case ("sum", [first, *rest]):
            total = F.col(first)
            for r in rest:
                total = total + F.col(r)
            return total
        case ("concat", parts):
            return F.concat_ws("-", *parts)
        case ("ratio", (a, b)):
            return F.when(F.col(b) != 0, F.col(a) / F.col(b))
        case (other, _):
            raise ValueError(other)


def apply(df: DataFrame, step) -> DataFrame:
    match step:
        case Rename(old, new):
            return df.withColumnRenamed(old, new)
        case Keep(columns=cols):
            return df.select(cols)
        case Calc(name=n, op=o, args=a):
            return df.withColumn(n, calc(o, a))
        case {"filter": cond}:
            return df.filter(cond)
        case "distinct" | "unique":
            return df.distinct()
        case _:
            return df


FLOWS = [
    Flow("raw.metrics", "dw.m1").then(Calc("load", "sum", ("cpu", "mem", "disk")), Calc("r", "ratio", ("cpu", "mem")), {"filter": "load > 1"}, Keep(["host", "load", "r"])),
    Flow("raw.customers", "dw.m2").then(Calc("full", "concat", ("first_name", "last_name")), Rename("country", "ctry"), Keep(["full", "ctry"]), "unique"),
]
spark = SparkSession.builder.getOrCreate()
for flow in FLOWS:
    df = spark.table(flow.source)
    for s in flow.steps:
        df = apply(df, s)
    df.write.mode("overwrite").saveAsTable(flow.target)
