# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
out = orders.select(
    "ORDER_ID",
    F.to_date(col("PLACED")).alias("DAY"),
    F.substring("PLACED", 6, 2).alias("MONTH"),
    F.concat(col("STATUS"), F.lit("-"), col("PLACED")).alias("CODE"),
    F.length("STATUS").alias("LETTERS"),
)
out.write.mode("overwrite").save_as_table("DATES")
