"""Globals changed by functions, closures over loops, default arguments, star-args, shadowing."""
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import sum as sum_, max as max_, col as c

spark = SparkSession.builder.getOrCreate()
STATE = {"n": 0}
frames = []
TARGET = None


def remember(df, *, into=frames, name="f"):
    STATE["n"] += 1
    into.append((f"{name}{STATE['n']}", df))
    return df


def set_target(t):
    global TARGET
    TARGET = t


def makers(cols):
    return [lambda df, c=c: df.withColumn(c, F.trim(c)) for c in cols]


def select_by(df, *preds, **rename):
    cols = [x for x in df.columns if all(p(x) for p in preds)]
    return df.select(*[F.col(x).alias(rename.get(x, x)) for x in cols])


cust = remember(spark.table("raw.customers"))
for m in makers(["first_name", "last_name"]):
    cust = m(cust)
cust = select_by(cust, lambda x: x != "address", lambda x: not x.endswith("_date"), first_name="fn", last_name="ln")
remember(cust, name="clean")
set_target("dw.scoped")
cust.write.saveAsTable(TARGET)
orders = spark.table("raw.orders")
agg = orders.groupBy(c("customer_id")).agg(sum_(c("amount")).alias("sum"), max_("qty").alias("max"), F.sum(c("discount") * sum([1, 2])).alias("d"))
remember(agg.join(frames[-1][1], "customer_id"), name="joined")
for name, df in frames[1:]:
    df.write.saveAsTable(f"dw.scope_{name}")
x, (y, *z) = "country", ("segment", "email", "customer_id")
spark.table("raw.customers").select(x, y, *z[::-1]).write.saveAsTable("dw.unpacked")
first = next((f.name for f in spark.table("raw.metrics").schema.fields if f.dataType.simpleString() == "double"), None)
spark.table("raw.metrics").select(first, F.col("host").alias("sum")).groupBy("sum").agg(F.avg(first).alias("avg")).write.saveAsTable("dw.first_double")
del frames[:]
if not frames and STATE["n"] == 3:
    spark.table("raw.rates").where(f"currency = '{'EUR'!s}' and rate > {0.5:.2f}").write.saveAsTable("dw.eur")
