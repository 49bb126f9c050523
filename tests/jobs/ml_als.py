from pyspark.ml.recommendation import ALS
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
r = spark.table("raw.orders").select("customer_id", "product_id", "qty")
als = ALS(userCol="customer_id", itemCol="product_id", ratingCol="qty")
m = als.fit(r)
m.save("/models/als")
m.transform(r).select("customer_id", "product_id", "prediction").write.saveAsTable("ml.als")
