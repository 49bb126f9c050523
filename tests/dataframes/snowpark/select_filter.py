# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
red = orders.filter(col("STATUS") == "red").select(
    "ORDER_ID", (col("QTY") * col("PRICE")).as_("AMOUNT")
)
red.sort("ORDER_ID").write.mode("overwrite").save_as_table("RED")
