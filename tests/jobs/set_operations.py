"""Unions by position and by name, intersections and differences."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
a = spark.table("raw.sales_2022")
b = spark.table("raw.sales_2023")

a.union(b.select("id", "amount", "channel")).write.saveAsTable("dw.by_position")
a.withColumn("tax", F.col("amount") * 0.1).unionByName(b, allowMissingColumns=True).write.saveAsTable("dw.by_name")
a.select("region").intersect(b.select("region")).write.saveAsTable("dw.common_regions")
a.select("id", "region").exceptAll(b.select("id", "channel")).write.saveAsTable("dw.only_2022")
a.select("id").subtract(b.select("id")).orderBy("id").limit(10).write.saveAsTable("dw.some_ids")
a.select("region").union(b.select("region")).distinct().withColumnRenamed("region", "name").write.saveAsTable(
    "dw.regions"
)
a.dropDuplicates().drop("amount").sample(0.1).repartition(4, "region").write.saveAsTable("dw.sampled")
