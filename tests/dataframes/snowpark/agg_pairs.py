# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
orders.agg(F.min("PRICE").alias("LOW"), F.max("PRICE").alias("HIGH")).write.mode(
    "overwrite"
).save_as_table("RANGE_OF")
orders.group_by("STATUS").count().sort("STATUS").write.mode("overwrite").save_as_table("COUNTS")
