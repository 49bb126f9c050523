# PEOPLE(ID id, PHONE maybe, MOBILE maybe)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col

session = Session.builder.getOrCreate()

people = session.table("PEOPLE")
people.select(
    "ID", F.coalesce("PHONE", "MOBILE").alias("CONTACT"), col("PHONE").is_null().alias("LOST")
).write.mode("overwrite").save_as_table("CONTACTS")
people.filter(col("MOBILE").is_not_null()).select("ID").write.mode("overwrite").save_as_table(
    "MOBILES"
)
