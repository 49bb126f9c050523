# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

from snowflake.snowpark.types import FloatType, IntegerType

double = F.udf(lambda x: float(x) * 2, return_type=FloatType(), input_types=[IntegerType()])
orders = session.table("ORDERS")
orders.select("ORDER_ID", double(col("QTY")).alias("DOUBLED")).write.mode(
    "overwrite"
).save_as_table("DOUBLES")
