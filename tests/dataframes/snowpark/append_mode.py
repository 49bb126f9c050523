# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
orders.filter(col("QTY") > 50).select("ORDER_ID", "QTY").write.mode("overwrite").save_as_table(
    "LOG_ROWS"
)
orders.filter(col("PRICE") > 50).select("ORDER_ID", "QTY").write.mode("append").save_as_table(
    "LOG_ROWS"
)
