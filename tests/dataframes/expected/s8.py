import snowflake.snowpark as snowpark
from snowflake.snowpark import functions as F
from snowflake.snowpark.functions import col, lit, sum as sum_, avg, to_date, datediff

def main(session: snowpark.Session):
    inv = session.table("FIN.INVOICES")
    pay = session.table("FIN.PAYMENTS").group_by("INVOICE_ID").agg(sum_(col("AMOUNT")).alias("PAID"))
    res = inv.join(pay, inv["ID"] == pay["INVOICE_ID"], join_type="left").select(
        inv["ID"].alias("INVOICE_ID"),
        (inv["TOTAL"] - F.coalesce(pay["PAID"], lit(0))).alias("OPEN_AMOUNT"),
        datediff("day", inv["DUE"], F.current_date()).alias("LATE_DAYS"),
    )
    res.filter(col("OPEN_AMOUNT") > 0).write.mode("overwrite").save_as_table("FIN.OPEN_ITEMS")
    return res
