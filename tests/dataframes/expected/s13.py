from snowflake.snowpark import Session
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()
errors = session.table("LOGS").where(col("LEVEL") == "ERROR").select("ID", "TS")
errors.create_or_replace_temp_view("ERRORS")
session.sql("create table BY_TS as select TS, count(*) as N from ERRORS group by TS").collect()
