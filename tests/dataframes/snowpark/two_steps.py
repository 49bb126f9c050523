# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

session.table("ORDERS").select("ORDER_ID", (col("QTY") * 2).alias("TWICE")).write.mode(
    "overwrite"
).save_as_table("STAGE_ROWS")
stage = session.table("STAGE_ROWS")
stage.filter(col("TWICE") > 60).write.mode("overwrite").save_as_table("FINAL_ROWS")
