# NORTH(ID id, AMOUNT float)
# SOUTH(ID id, AMOUNT float)
from snowflake.snowpark import Session

session = Session.builder.getOrCreate()

north = session.table("NORTH")
south = session.table("SOUTH")
north.union_all(south).write.mode("overwrite").save_as_table("EVERY_ROW")
north.select("ID").union(south.select("ID")).sort("ID").write.mode("overwrite").save_as_table("IDS")
