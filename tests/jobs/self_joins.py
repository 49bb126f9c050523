"""One table on both sides of a join."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import col

spark = SparkSession.builder.getOrCreate()
staff = spark.table("raw.employees")

e, m = staff.alias("e"), staff.alias("m")
pairs = e.join(m, col("e.manager_id") == col("m.emp_id"), "left").select(
    col("e.emp_id"), col("e.name"), col("m.name").alias("manager"), (col("e.salary") / col("m.salary")).alias("ratio")
)
pairs.write.saveAsTable("dw.staff")

bosses = staff.select(staff.emp_id.alias("boss_id"), staff.dept.alias("boss_dept")).distinct()
moved = (
    staff.join(bosses, staff.manager_id == bosses.boss_id).where(staff.dept != bosses.boss_dept).drop(bosses.boss_id)
)
moved.drop("hired", "salary").write.saveAsTable("dw.foreign_bosses")

averages = staff.groupBy("dept").agg(F.avg("salary").alias("mean_salary"))
staff.join(averages, ["dept"]).where(col("salary") > col("mean_salary")).select(
    "name", "dept", "mean_salary"
).write.saveAsTable("dw.above_average")
staff.join(spark.table("raw.metrics").select(col("host").alias("name")), "name", "left_anti").write.saveAsTable(
    "dw.people"
)
