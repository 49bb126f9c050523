"""GraphFrames: reachability and page rank over who manages whom."""

from graphframes import GraphFrame
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
v = spark.table("raw.employees").select(F.col("emp_id").alias("id"), "name", "dept")
e = (
    spark.table("raw.employees")
    .where("manager_id IS NOT NULL")
    .select(
        F.col("emp_id").alias("src"),
        F.col("manager_id").alias("dst"),
        F.lit("reports").alias("rel"),
    )
)
g = GraphFrame(v, e)
g.inDegrees.write.saveAsTable("dw.in_degrees")
g.pageRank(resetProbability=0.15, maxIter=5).vertices.select(
    "id", "dept", "pagerank"
).write.saveAsTable("dw.ranks")
g.connectedComponents().groupBy("component").count().write.saveAsTable("dw.components")
pairs = (
    g.find("(a)-[e]->(b)")
    .filter("a.dept = b.dept")
    .select("a.name", F.col("b.name").alias("boss"), "e.rel")
)
pairs.write.saveAsTable("dw.same_dept")
