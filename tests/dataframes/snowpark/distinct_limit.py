# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
orders.select("STATUS").distinct().sort("STATUS").write.mode("overwrite").save_as_table("STATES")
orders.sort(col("PRICE").desc()).limit(5).select("ORDER_ID").write.mode("overwrite").save_as_table(
    "TOP"
)
