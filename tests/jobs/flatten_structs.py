"""Nested structs flattened by recursion over the schema."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StringType, StructType


def leaves(schema, prefix=None):
    found = []
    for field in schema.fields:
        path = f"{prefix}.{field.name}" if prefix else field.name
        if isinstance(field.dataType, StructType):
            found += leaves(field.dataType, path)
        else:
            found.append(path)
    return found


spark = SparkSession.builder.getOrCreate()
customers = spark.table("raw.customers")
flat = customers.select([F.col(path).alias(path.replace(".", "_")) for path in leaves(customers.schema)])
flat.write.mode("overwrite").saveAsTable("dw.customers_flat")

texts = [f.name for f in customers.schema if isinstance(f.dataType, StringType)]
customers.select("customer_id", *[F.upper(name).alias(name) for name in texts]).write.saveAsTable("dw.customers_upper")

items = spark.table("raw.order_items")
arrays = [f.name for f in items.schema.fields if isinstance(f.dataType, ArrayType)]
for name in arrays:
    items = items.withColumn(name, F.explode_outer(name))
items.select("order_id", "lines.*").write.saveAsTable("dw.items_flat")
spark.table("raw.customers").select("customer_id", "address.*").drop("geo").write.saveAsTable("dw.addresses")
