from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import RandomForestClassificationModel, RandomForestClassifier
from pyspark.ml.feature import RFormula, VectorAssembler
from pyspark.ml.regression import GBTRegressor
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
PATH = "s3://models/qty"
train = spark.table("raw.orders").select("amount", "qty", "discount")
formula = RFormula(formula="qty ~ .", featuresCol="x", labelCol="y")
trees = GBTRegressor(featuresCol="x", labelCol="y", predictionCol="qty_hat")
Pipeline(stages=[formula, trees]).fit(train).write().overwrite().save(PATH)
scored = PipelineModel.load(PATH).transform(spark.table("raw.orders"))
scored.select("order_id", "qty_hat").write.saveAsTable("ml.qty")

data = VectorAssembler(inputCols=["cpu", "mem"], outputCol="features").transform(
    spark.table("raw.metrics")
)
model = RandomForestClassificationModel.load("s3://models/elsewhere")
model.transform(data).select("host", "prediction").write.saveAsTable("ml.hosts")
