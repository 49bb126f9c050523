"""Steps by name from a list of dictionaries, looked up in a registry."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

REGISTRY = {}


def step(name):
    def register(function):
        REGISTRY[name] = function
        return function

    return register


@step("read")
def read(spark, state, table, alias):
    state[alias] = spark.table(table)


@step("filter")
def keep(spark, state, source, condition, alias=None):
    state[alias or source] = state[source].filter(condition)


@step("derive")
def derive(spark, state, source, **columns):
    for name, expression in columns.items():
        state[source] = state[source].withColumn(name, F.expr(expression))


@step("join")
def join(spark, state, left, right, on, how="inner", alias="joined"):
    state[alias] = state[left].join(state[right], on, how)


@step("aggregate")
def aggregate(spark, state, source, by, **measures):
    state[source] = state[source].groupBy(by).agg(*[F.expr(e).alias(n) for n, e in measures.items()])


@step("write")
def write(spark, state, source, table):
    state[source].write.mode("overwrite").saveAsTable(table)


PIPELINE = [
    {"do": "read", "table": "raw.orders", "alias": "o"},
    {"do": "read", "table": "raw.customers", "alias": "c"},
    {"do": "filter", "source": "o", "condition": "amount > 0 AND status <> 'test'", "alias": "valid"},
    {"do": "derive", "source": "valid", "net": "amount - coalesce(discount, 0)", "year": "year(placed_at)"},
    {"do": "join", "left": "valid", "right": "c", "on": "customer_id", "how": "left"},
    {
        "do": "aggregate",
        "source": "joined",
        "by": ["country", "year"],
        "net": "sum(net)",
        "buyers": "count(DISTINCT email)",
    },
    {"do": "write", "source": "joined", "table": "dw.framework"},
]


def run(spark, pipeline):
    state = {}
    for entry in pipeline:
        arguments = {key: value for key, value in entry.items() if key != "do"}
        REGISTRY[entry["do"]](spark, state, **arguments)
    return state


if __name__ == "__main__":
    run(SparkSession.builder.getOrCreate(), PIPELINE)
