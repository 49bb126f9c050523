# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
# BLOCKED(CUSTOMER_ID small)
from snowflake.snowpark import Session

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
blocked = session.table("BLOCKED")
orders.join(blocked, "CUSTOMER_ID", "anti").select("ORDER_ID").sort("ORDER_ID").write.mode(
    "overwrite"
).save_as_table("FREE")
orders.join(blocked, "CUSTOMER_ID", "semi").select("ORDER_ID", "PRICE").sort("ORDER_ID").write.mode(
    "overwrite"
).save_as_table("HELD")
