import snowflake.snowpark as snowpark
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col, lit, sum as sum_, avg, to_date, datediff

session = snowpark.Session.builder.getOrCreate()
def load(session, table):
    session.table(table).filter(col("qty") > 0).select("sku", "qty").write.save_as_table("CLEAN_" + table)
session.sproc.register(load, name="load")
session.call("load", "STOCK")
