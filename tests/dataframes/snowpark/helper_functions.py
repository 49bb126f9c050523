# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
# CUSTOMERS(CUSTOMER_ID key, NAME text, REGION word)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()


def enrich(frame):
    customers = (
        session.table("CUSTOMERS").group_by("CUSTOMER_ID").agg(F.min("REGION").alias("REGION"))
    )
    return frame.join(customers, "CUSTOMER_ID")


def main():
    orders = session.table("ORDERS").with_column("TOTAL", col("QTY") * col("PRICE"))
    enrich(orders).select("ORDER_ID", "TOTAL", "REGION").sort("ORDER_ID").write.mode(
        "overwrite"
    ).save_as_table("ENRICHED")


main()
