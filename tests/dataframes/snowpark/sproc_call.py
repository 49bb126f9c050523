# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()


def load(session, least):
    orders = session.table("ORDERS").filter(col("QTY") > least)
    orders.select("ORDER_ID", "PRICE").write.mode("overwrite").save_as_table("LOADED")
    return "done"


load(session, 40)
