import snowflake.snowpark as snowpark
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col, lit, sum as sum_, avg, to_date, datediff

session = snowpark.Session.builder.getOrCreate()
s = session.read.schema("id INT, name STRING").csv("@stage/people.csv")
s.copy_into_table("PEOPLE")
p = session.table("PEOPLE").select(col("id"), F.initcap("name").as_("name"))
p.write.save_as_table(["DB", "PUB", "PEOPLE_CLEAN"], mode="append")
