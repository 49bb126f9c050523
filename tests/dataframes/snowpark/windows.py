# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session, Window
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

window = Window.partition_by("CUSTOMER_ID").order_by(col("PRICE").desc(), col("ORDER_ID"))
out = session.table("ORDERS").select(
    "ORDER_ID",
    F.row_number().over(window).alias("PLACE"),
    F.sum("QTY").over(Window.partition_by("STATUS")).alias("STATUS_QTY"),
)
out.sort("ORDER_ID").write.mode("overwrite").save_as_table("PLACES")
