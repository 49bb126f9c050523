"""A hierarchy walked level by level, and rows put in order."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
staff = spark.table("raw.employees").select("emp_id", "manager_id", "name")

level = staff.where("manager_id IS NULL").select("emp_id", F.col("name").alias("path"), F.lit(0).alias("depth"))
found = level
for depth in range(1, 3):
    level = (
        staff.alias("s")
        .join(level.alias("p"), F.col("s.manager_id") == F.col("p.emp_id"))
        .select(F.col("s.emp_id"), F.concat_ws("/", "p.path", "s.name").alias("path"), F.lit(depth).alias("depth"))
    )
    found = found.unionAll(level)
found.sort("path").write.saveAsTable("dw.hierarchy")
