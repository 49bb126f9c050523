# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
out = (
    orders.with_column_renamed("ORDER_ID", "ID")
    .with_column_renamed(col("PLACED"), "DAY")
    .select("ID", "DAY", "STATUS")
)
out.write.mode("overwrite").save_as_table("RENAMED")
