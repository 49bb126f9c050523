from pyspark.ml.clustering import KMeans
from pyspark.ml.feature import VectorAssembler, StandardScaler
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
df = (
    spark.table("raw.metrics")
    .groupBy("host")
    .agg(F.avg("cpu").alias("cpu"), F.max("mem").alias("mem"))
)
f = VectorAssembler(inputCols=["cpu", "mem"], outputCol="raw").transform(df)
sc = StandardScaler(inputCol="raw", outputCol="features").fit(f).transform(f)
out = KMeans(k=3, predictionCol="cluster").fit(sc).transform(sc)
out.select("host", "cluster").write.saveAsTable("ml.clusters")
