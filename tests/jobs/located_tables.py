"""Tables at paths: whichever way one is written or read, it is one dataset."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders").select("order_id", "amount")
orders.write.format("delta").mode("overwrite").save("s3://lake/orders_t")
spark.sql("CREATE TABLE IF NOT EXISTS dw.orders_t USING delta LOCATION 's3://lake/orders_t/'")
spark.table("dw.orders_t").select("order_id").write.saveAsTable("dw.next1")
spark.read.format("delta").load("s3a://lake/orders_t").select("amount").write.saveAsTable("dw.next2")
spark.sql("SELECT amount FROM delta.`s3://lake/orders_t`").write.saveAsTable("dw.next3")
