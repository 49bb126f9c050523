from pyspark.ml.feature import Tokenizer, StopWordsRemover, HashingTF
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
df = spark.table("raw.products").select("product_id", "title")
words = Tokenizer(inputCol="title", outputCol="words").transform(df)
kept = StopWordsRemover().setInputCol("words").setOutputCol("kept").transform(words)
tf = HashingTF(inputCol="kept", outputCol="tf", numFeatures=100).transform(kept)
tf.select("product_id", "tf").write.parquet("/lake/tf")
