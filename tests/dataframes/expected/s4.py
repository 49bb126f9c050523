from snowflake.snowpark import Session, Window
import snowflake.snowpark.functions as F
from snowflake.snowpark.functions import col, lit

session = Session.builder.getOrCreate()
session.sql("create or replace table stg as select id, lower(email) as email from raw_users where active").collect()
df = session.sql("select id, email from stg")
df.with_column("domain", F.split(col("email"), lit("@"))[1]).write.save_as_table("users")
