# ORDERS(ORDER_ID id, CUSTOMER_ID key, STATUS word, QTY int, PRICE float, PLACED day)
# SHOPS(SHOP key, CITY word)
from snowflake.snowpark import Session

session = Session.builder.getOrCreate()

orders = session.table("ORDERS")
shops = session.table("SHOPS")
both = orders.join(shops, orders["CUSTOMER_ID"] == shops["SHOP"])
both.select("ORDER_ID", "CITY").sort("ORDER_ID", "CITY").write.mode("overwrite").save_as_table(
    "CITIES"
)
