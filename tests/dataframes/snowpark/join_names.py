# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
# CUSTOMERS(CUSTOMER_ID key, NAME text, REGION word)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
customers = session.table("CUSTOMERS").group_by("CUSTOMER_ID").agg(F.max("REGION").alias("REGION"))
both = orders.join(customers, "CUSTOMER_ID")
both.select("ORDER_ID", "CUSTOMER_ID", "REGION").sort("ORDER_ID").write.mode(
    "overwrite"
).save_as_table("BOTH")
