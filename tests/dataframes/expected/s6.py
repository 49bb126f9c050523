from snowflake.snowpark import Session, Window
import snowflake.snowpark.functions as F
from snowflake.snowpark.functions import col, lit

session = Session.builder.getOrCreate()
a = session.table("a").select("k", "v")
b = session.table("b").select("k", "v")
a.union_all(b).group_by("k").agg(F.sum("v").as_("total"), F.iff(F.sum("v") > 10, lit("hi"), lit("lo")).as_("band")).write.save_as_table("u")
session.table("a").select("k").distinct().write.copy_into_location("@out/k.csv", header=True)
