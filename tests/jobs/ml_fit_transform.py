from pyspark.ml.feature import VectorAssembler
from pyspark.ml.classification import LogisticRegression
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
df = spark.table("raw.metrics").withColumnRenamed("disk", "label")
feats = VectorAssembler(inputCols=["cpu", "mem"], outputCol="features").transform(df)
train, test = feats.randomSplit([0.8, 0.2], seed=1)
model = LogisticRegression(maxIter=5).fit(train)
model.transform(test).select("host", "prediction").write.saveAsTable("ml.scored")
