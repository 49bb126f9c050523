# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
out = orders.with_column("GROSS", col("PRICE") * 1.2).with_columns(
    ["LABEL", "HALF"], [F.upper(col("STATUS")), col("QTY") / 2]
)
out.drop("PLACED", "CUSTOMER_ID").write.mode("overwrite").save_as_table("WIDE")
