"""ML: features, string indexing, a pipeline, and scores by decile."""

from pyspark.ml import Pipeline
from pyspark.ml.classification import GBTClassifier
from pyspark.ml.feature import Imputer, OneHotEncoder, StringIndexer, VectorAssembler
from pyspark.ml.functions import vector_to_array
from pyspark.sql import SparkSession, functions as F, Window

spark = SparkSession.builder.getOrCreate()
NUM = ["amount", "qty"]
CAT = ["store", "status"]

orders = spark.table("raw.orders").join(
    spark.table("raw.returns").select("order_id", "reason"), "order_id", "left"
)
data = orders.withColumn("label", F.col("reason").isNotNull().cast("double")).withColumn(
    "qty", F.col("qty").cast("double")
)

stages = [Imputer(inputCols=NUM, outputCols=[f"{c}_i" for c in NUM])]
stages += [StringIndexer(inputCol=c, outputCol=f"{c}_ix", handleInvalid="keep") for c in CAT]
stages.append(
    OneHotEncoder(inputCols=[f"{c}_ix" for c in CAT], outputCols=[f"{c}_oh" for c in CAT])
)
stages.append(
    VectorAssembler(
        inputCols=[f"{c}_i" for c in NUM] + [f"{c}_oh" for c in CAT], outputCol="features"
    )
)
stages.append(GBTClassifier(labelCol="label", featuresCol="features", maxIter=10))

model = Pipeline(stages=stages).fit(data.filter(F.year("placed_at") < 2024))
model.write().overwrite().save("s3://models/returns")
scored = model.transform(data.filter("year(placed_at) = 2024"))
scored = scored.withColumn("p", vector_to_array("probability")[1])
scored.withColumn("decile", F.ntile(10).over(Window.orderBy(F.desc("p")))).select(
    "order_id", "p", "decile"
).write.saveAsTable("ml.return_scores")
