# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

totals = (
    session.table("ORDERS")
    .group_by("CUSTOMER_ID")
    .agg(F.sum("PRICE").alias("REVENUE"), F.count("*").alias("N"), F.max(col("QTY")).alias("MOST"))
    .sort("CUSTOMER_ID")
)
totals.write.mode("overwrite").save_as_table("TOTALS")
