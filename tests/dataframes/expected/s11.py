import snowflake.snowpark as snowpark
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col, lit, sum as sum_, avg, to_date, datediff

session = snowpark.Session.builder.getOrCreate()
m = session.table("monthly").select("emp", "month", "amount")
m.pivot("month", ["JAN", "FEB"]).sum("amount").write.save_as_table("pv")
t = session.table("target")
t.update({"flag": lit(1)}, t["score"] > 10)
