# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

out = session.table("ORDERS").select(
    "ORDER_ID",
    F.when(col("QTY") > 50, F.lit("many"))
    .when(col("STATUS") == "red", col("PLACED"))
    .otherwise(F.lit("few"))
    .alias("SIZE"),
    F.iff(col("PRICE") > 50, col("QTY"), F.lit(0)).alias("DEAR_QTY"),
)
out.write.mode("overwrite").save_as_table("SIZES")
