"""Arrays, structs and maps, opened and built."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

items = (
    spark.table("raw.order_items")
    .withColumn("line", F.explode("lines"))
    .select(
        "order_id",
        "line.sku",
        F.col("line.units").alias("units"),
        (F.col("line.units") * F.col("line.price")).alias("value"),
    )
)
items.write.saveAsTable("dw.order_lines")

inlined = spark.table("raw.order_items").select("order_id", F.inline("lines"))
inlined.groupBy("sku").agg(F.sum("units").alias("units"), F.collect_set("order_id").alias("orders")).write.saveAsTable(
    "dw.skus"
)

tagged = (
    spark.table("raw.orders")
    .select("order_id", F.posexplode_outer("tags").alias("pos", "tag"))
    .filter(F.col("tag") != "")
)
tagged.write.saveAsTable("dw.order_tags")

pairs = spark.table("raw.products").select("product_id", F.explode("attrs"))
pairs.withColumn("value", F.lower("value")).write.saveAsTable("dw.product_attributes")

people = spark.table("raw.customers").select(
    "customer_id",
    F.struct(F.col("first_name").alias("first"), F.col("last_name").alias("last")).alias("name"),
    F.col("address.geo.lon").alias("lon"),
    F.to_json("address").alias("address_json"),
)
people.select("customer_id", "name.last", "lon", "address_json").write.saveAsTable("dw.people_flat")

higher = spark.table("raw.order_items").select(
    "order_id",
    F.transform("lines", lambda line: line["units"] * line["price"]).alias("amounts"),
    F.filter("lines", lambda line: line.price > 10).alias("dear"),
    F.aggregate("lines", F.lit(0.0), lambda total, line: total + line.price).alias("total"),
    F.exists("lines", lambda line: line.units > 5).alias("bulk"),
)
higher.write.saveAsTable("dw.order_arrays")
