from snowflake.snowpark import Session, Window
import snowflake.snowpark.functions as F
from snowflake.snowpark.functions import col, lit

session = Session.builder.getOrCreate()
w = Window.partition_by(col("acct")).order_by(col("dt").desc())
t = session.table("bal").with_column("rn", F.row_number().over(w)).with_column("prev", F.lag("amt", 1).over(w))
t.where(col("rn") == 1).drop("rn").select("acct", "amt", "prev").write.mode("append").save_as_table("latest_bal")
