"""Table functions: spark.tvf, and a class that yields rows, each in a lateral join."""

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lit, udtf

spark = SparkSession.builder.getOrCreate()


@udtf(returnType="word string, pos int")
class SplitWords:
    def eval(self, text: str):
        for i, word in enumerate(text.split(" ")):
            yield word, i


class Repeat:
    def eval(self, text, times):
        for _ in range(times):
            yield (text + str(times),)


repeat = udtf(Repeat, returnType="copy string")
products = spark.table("raw.products").alias("p")
words = products.lateralJoin(SplitWords(col("p.title").outer())).where("pos < 3")
words.select("product_id", "word").write.saveAsTable("dw.words")
SplitWords(lit("a b")).write.saveAsTable("dw.constant_words")
orders = spark.table("raw.orders").alias("o")
orders.lateralJoin(repeat(col("o.store").outer(), col("o.qty").outer())).select(
    "order_id", "copy"
).write.saveAsTable("dw.copies")
orders.lateralJoin(spark.tvf.explode(col("o.tags").outer()).toDF("tag")).select(
    "order_id", "tag"
).write.saveAsTable("dw.tags")
orders.lateralJoin(spark.tvf.posexplode(col("o.tags").outer()), how="left").select(
    "pos", "col"
).write.saveAsTable("dw.positions")
spark.tvf.range(3).write.saveAsTable("dw.numbers")
