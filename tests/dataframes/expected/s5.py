from snowflake.snowpark import Session, Window
import snowflake.snowpark.functions as F
from snowflake.snowpark.functions import col, lit

from snowflake.snowpark.functions import when_matched, when_not_matched
session = Session.builder.getOrCreate()
src = session.table("updates")
tgt = session.table("dim_c")
tgt.merge(src, tgt["id"] == src["id"], [when_matched(src["op"] == "U").update({"name": src["name"]}), when_not_matched().insert({"id": src["id"], "name": src["name"]})])
