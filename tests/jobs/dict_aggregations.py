"""Aggregations from dictionaries and comprehensions."""

from itertools import product

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")

spec = {"amount": ["min", "max", "avg"], "qty": ["sum"]}
aggregations = {f"{column}_{how}": getattr(F, how)(column) for column, hows in spec.items() for how in hows}
summary = orders.groupBy("store").agg(*[expression.alias(name) for name, expression in aggregations.items()])
summary.write.saveAsTable("dw.store_summary")

totals = orders.groupBy("customer_id").agg({"amount": "sum", "*": "count", "placed_at": "max"})
renamed = totals.withColumnsRenamed({"sum(amount)": "total", "count(1)": "n", "max(placed_at)": "last_order"})
renamed.select("customer_id", "total", "last_order").write.insertInto("dw.totals")

flags = {
    f"{status}_{size}": F.sum(F.when((F.col("status") == status) & (F.col("amount") >= least), F.col("amount")))
    for status, (size, least) in product(["paid", "open"], [("any", 0), ("big", 1000)])
}
orders.groupBy("customer_id").agg(*(column.alias(name) for name, column in flags.items())).write.saveAsTable("dw.flags")
orders.withColumns({f"{c}_x2": F.col(c) * 2 for c in ("amount", "qty")}).select(
    "order_id", F.col("amount_x2"), "qty_x2"
).write.saveAsTable("dw.doubled")
