from pyspark.ml import Pipeline
from pyspark.ml.feature import RFormula
from pyspark.ml.classification import RandomForestClassifier
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
df = spark.table("raw.metrics").select("host", "cpu", "mem", "disk")
rf = RandomForestClassifier(featuresCol="features", labelCol="label")
pipe = Pipeline(stages=[RFormula(formula="disk ~ cpu + mem"), rf])
grid = ParamGridBuilder().addGrid(rf.numTrees, [10, 20]).build()
cv = CrossValidator(
    estimator=pipe, estimatorParamMaps=grid, evaluator=BinaryClassificationEvaluator(), numFolds=3
)
best = cv.fit(df).bestModel
best.transform(df).select("host", "prediction").write.saveAsTable("ml.cv")
