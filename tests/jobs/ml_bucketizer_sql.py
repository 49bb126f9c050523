from pyspark.ml.feature import Bucketizer, SQLTransformer
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
df = spark.table("raw.orders").select("order_id", "amount", "qty")
b = Bucketizer(splits=[0.0, 10.0, float("inf")], inputCol="amount", outputCol="bucket").transform(
    df
)
s = SQLTransformer(
    statement="SELECT order_id, bucket, amount / qty AS unit FROM __THIS__ WHERE qty > 0"
).transform(b)
s.write.saveAsTable("ml.buckets")
