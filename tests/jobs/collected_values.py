"""Values that the program collects and puts into conditions, columns, SQL texts and local rows."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("raw.orders")
customers = spark.table("raw.customers")

latest = orders.agg(F.max("placed_at")).collect()[0][0]
customers.filter(F.col("signup_date") > F.lit(latest)).select("customer_id").write.saveAsTable("dw.newer")
customers.where(f"signup_date > '{latest}'").select("customer_id").write.saveAsTable("dw.newer_text")
spark.sql(f"SELECT customer_id FROM raw.customers WHERE signup_date > '{latest}'").write.saveAsTable("dw.newer_sql")

row = orders.agg(F.max("amount").alias("most"), F.min("amount").alias("least"), F.avg("order_id").alias("middle")).first()
customers.select("customer_id", F.lit(row["most"]).alias("most")).write.saveAsTable("dw.most")
customers.select("customer_id", F.lit(row.middle + 1).alias("middle")).write.saveAsTable("dw.middle")

paid = orders.filter(F.col("status") == "paid").count()
orders.select((F.col("amount") / paid).alias("share")).write.saveAsTable("dw.share")

stores = [each.store for each in orders.select("store").distinct().collect()]
orders.filter(F.col("store").isin(stores)).select("order_id").write.saveAsTable("dw.known_stores")
low, high = orders.agg(F.min("amount"), F.max("order_id")).head()
orders.filter(F.col("customer_id").between(low, high)).select("order_id").write.saveAsTable("dw.between")

for each in orders.select("status").distinct().collect():
    orders.filter(F.col("store") == each["status"]).select("order_id").write.mode("append").saveAsTable("dw.per_status")

top = orders.toPandas()["amount"].max()
customers.filter(F.col("customer_id") > top).select("customer_id").write.saveAsTable("dw.by_pandas")
audit = [("orders", orders.filter("amount > 1").count(), latest)]
spark.createDataFrame(audit, ["name", "rows", "latest"]).write.saveAsTable("dw.audit")
pairs = [(each.order_id, each["amount"] * 2) for each in orders.collect()]
spark.createDataFrame(pairs, ["id", "double"]).write.saveAsTable("dw.pairs")
customers.select(F.lit(float(top)).alias("top")).write.saveAsTable("dw.top")
customers.select(F.lit(row.asDict().get("least")).alias("least")).write.saveAsTable("dw.by_key")
customers.filter(F.col("customer_id").isin([*row.asDict().values()])).select("customer_id").write.saveAsTable("dw.by_values")
