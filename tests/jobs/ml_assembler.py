from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
va = VectorAssembler(inputCols=["cpu", "mem", "disk"], outputCol="features")
out = va.transform(spark.table("raw.metrics")).select("host", "features")
out.write.saveAsTable("ml.features")
