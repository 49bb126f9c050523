"""DataFrames become views, SQL becomes DataFrames, and back."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
THRESHOLD = 100
SCHEMA = "raw"

spark.table(f"{SCHEMA}.orders").where(F.col("amount") > THRESHOLD).createOrReplaceTempView("big_orders")
ranked = spark.sql(
    f"""
    WITH c AS (SELECT customer_id, country FROM {SCHEMA}.customers WHERE segment <> 'test')
    SELECT b.order_id, b.amount, c.country,
           dense_rank() OVER (PARTITION BY c.country ORDER BY b.amount DESC) AS pos
    FROM big_orders b JOIN c USING (customer_id)
    """
)
ranked.filter("pos <= 3").createOrReplaceTempView("top3")
spark.sql(
    "CREATE OR REPLACE TEMP VIEW by_country AS SELECT country, sum(amount) total, count(*) n FROM top3 GROUP BY country"
)
top = spark.table("by_country").withColumn("mean", F.expr("total / n"))
top.write.mode("overwrite").saveAsTable("dw.top_countries")

columns = ", ".join(["order_id", "amount"])
spark.sql(
    f"CREATE TABLE dw.top_orders USING parquet AS SELECT {columns}, pos AS place FROM top3 WHERE country IS NOT NULL"
)
spark.sql("INSERT INTO dw.totals SELECT customer_id, sum(amount), max(placed_at) FROM big_orders GROUP BY customer_id")
spark.sql("SELECT * FROM {frame} WHERE n > {least}", frame=top, least=10).write.saveAsTable("dw.busy_countries")
