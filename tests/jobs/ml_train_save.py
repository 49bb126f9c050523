from pyspark.ml import Pipeline
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.regression import LinearRegression
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
train = spark.table("raw.orders").where("status = 'paid'").select("qty", "discount", "amount")
p = Pipeline(
    stages=[
        VectorAssembler(inputCols=["qty", "discount"], outputCol="features"),
        LinearRegression(featuresCol="features", labelCol="amount"),
    ]
)
model = p.fit(train)
model.write().overwrite().save("s3://models/amount")
