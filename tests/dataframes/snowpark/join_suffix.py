# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
# RETURNS(ORDER_ID id, STATUS word, REASON text)
from snowflake.snowpark import Session

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
returns = session.table("RETURNS")
both = orders.join(returns, orders["ORDER_ID"] == returns["ORDER_ID"], rsuffix="_R")
both.select("ORDER_ID", "STATUS", "STATUS_R", "REASON").sort("ORDER_ID").write.mode(
    "overwrite"
).save_as_table("PAIRS")
