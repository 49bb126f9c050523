import snowflake.snowpark.functions as F
from snowflake.snowpark import Session

session = Session.builder.getOrCreate()
session.use_schema("mart")
sales = session.sql(
    "select id, region, amount, date_trunc('month', sold_at) as month from sales where amount > 0"
)
wide = (
    sales.group_by("region")
    .agg(
        F.sum(F.when(F.month(F.col("month")) == 1, F.col("amount"))).alias("jan"),
        F.avg("amount").alias("avg_amount"),
    )
    .sort(F.col("jan").desc())
    .limit(10)
)
wide = wide.rename({F.col("avg_amount"): "mean_amount"})
wide.write.mode("overwrite").save_as_table(["analytics", "mart", "regions"])
