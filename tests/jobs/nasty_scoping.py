"""Names shadowed, closures over loop variables, globals that change, and default arguments that are kept."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
col = "amount"
LOADED = []
_cache = {}


def load(name, col="order_id"):
    global LOADED
    LOADED = LOADED + [name]
    if name not in _cache:
        _cache[name] = spark.table(f"raw.{name}")
    return _cache[name].select(col)


def counter():
    n = 0

    def bump():
        nonlocal n
        n += 1
        return n

    return bump


steps = [lambda df, c=c: df.withColumn(f"{c}_copy", F.col(c)) for c in ("amount", "qty")]
late = [lambda df: df.withColumn(f"late_{c}", F.col(c)) for c in ("amount", "qty")]
df = spark.table("raw.orders").select("order_id", "amount", "qty")
for step in steps + late:
    df = step(df)
df.write.saveAsTable("dw.scoped")

bump = counter()
out = load("orders").join(load("returns"), "order_id").withColumn(f"v{bump()}", F.lit(0)).withColumn(f"v{bump()}", F.col("order_id") + 1)
out.write.saveAsTable(f"dw.{'_'.join(LOADED)}")
load("orders", col).withColumn("x" if len(LOADED) == 3 else "y", F.col(col)).write.saveAsTable("dw.third")


class Config:
    table = "orders"
    columns = ["store", "status"]

    class Output:
        name = "dw.inner"

    def __getattr__(self, name):
        return None


class Child(Config):
    columns = Config.columns + ["qty"]


spark.table(f"raw.{Child.table}").select(*Child.columns).write.saveAsTable(Child.Output.name)
picked = dict(zip(["a", "b"], ["amount", "qty"]))
swapped = {v: k for k, v in picked.items()}
spark.table("raw.orders").select([F.col(k).alias(v) for k, v in swapped.items()]).write.saveAsTable("dw.swapped")
if (n := len(picked)) > 1:
    spark.table("raw.orders").select(list(picked.values())[:n] + ["store"]).write.saveAsTable("dw.walrus")
first, second = (spark.table(t) for t in ("raw.sales_2022", "raw.sales_2023"))
(first if len(first.columns) > len(second.columns) else second).select("channel").write.saveAsTable("dw.longer")
