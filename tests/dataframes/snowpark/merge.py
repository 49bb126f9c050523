# DIM(ID id, NAME text, SEEN int)
# FEED(ID id, NAME text)
from snowflake.snowpark import Session
from snowflake.snowpark import functions as F

session = Session.builder.getOrCreate()

dim = session.table("DIM")
feed = session.table("FEED")
feed.select("ID", "NAME", F.lit(0).alias("SEEN")).write.mode("overwrite").save_as_table("NEW_DIM")
target = session.table("NEW_DIM")
target.merge(
    dim,
    target["ID"] == dim["ID"],
    [F.when_matched().update({"NAME": dim["NAME"], "SEEN": dim["SEEN"]})],
)
