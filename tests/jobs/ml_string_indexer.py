from pyspark.ml import Pipeline
from pyspark.ml.feature import StringIndexer, OneHotEncoder
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
df = spark.table("raw.products").select("product_id", "category", "title")
cats = ["category", "title"]
stages = []
for c in cats:
    stages.append(StringIndexer(inputCol=c, outputCol=c + "_ix"))
    stages.append(OneHotEncoder(inputCols=[c + "_ix"], outputCols=[c + "_vec"]))
pipe = Pipeline().setStages(stages)
out = pipe.fit(df).transform(df).drop("title_ix", "title", "category")
out.write.mode("overwrite").saveAsTable("ml.encoded")
