from snowflake.snowpark import Session, Window
import snowflake.snowpark.functions as F
from snowflake.snowpark.functions import col, lit

def main(session: Session) -> str:
    df = session.table("RAW.EVENTS").filter((col("KIND") == "click") & col("USER_ID").is_not_null())
    out = df.group_by("USER_ID").agg(F.count(lit(1)).alias("CLICKS"), F.max("TS").alias("LAST_TS"))
    out.write.mode("overwrite").save_as_table("MART.CLICKS")
    return "ok"
