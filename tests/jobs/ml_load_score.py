from pyspark.ml import PipelineModel
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
m = PipelineModel.load("s3://models/churn")
scored = m.transform(spark.table("raw.metrics"))
scored.select("host", "prediction").write.saveAsTable("ml.churn")
