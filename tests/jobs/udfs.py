"""Functions of Python in columns and in SQL."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

spark = SparkSession.builder.getOrCreate()


@F.udf(returnType=StringType())
def masked(text):
    return text[:2] + "***"


@F.udf("double")
def margin(price, cost):
    return (price - cost) / price


clean = F.udf(lambda text: text.strip().lower(), StringType())
parts = F.udf(
    lambda text: tuple(text.split("@")),
    StructType([StructField("user", StringType()), StructField("host", StringType())]),
)
spark.udf.register("vat", lambda amount: amount * 0.2, DoubleType())

products = spark.table("raw.products")
products.select(
    "product_id", clean(F.col("title")).alias("title"), margin("price", products.cost).alias("margin")
).write.saveAsTable("dw.margins")
people = spark.table("raw.customers").withColumn("mail", parts("email")).withColumn("email", masked(F.col("email")))
people.select("customer_id", "email", F.col("mail.host").alias("host")).filter(
    F.col("host").isNotNull()
).write.saveAsTable("dw.hosts")
spark.sql("SELECT order_id, vat(amount) AS tax FROM raw.orders WHERE vat(amount) > 1").write.saveAsTable("dw.taxes")
