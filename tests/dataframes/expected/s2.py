from snowflake.snowpark import Session, Window
import snowflake.snowpark.functions as F
from snowflake.snowpark.functions import col, lit

session = Session.builder.configs({"account": "x"}).create()
o = session.table("orders")
c = session.table("customers")
o.join(c, o.cust_id == c.id, "left").select(o.order_id, c.name, F.upper(c.country).alias("country")).write.save_as_table("order_names", mode="overwrite")
