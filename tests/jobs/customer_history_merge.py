"""A slowly changing dimension: rows that changed are closed and written anew, in two MERGEs."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
TARGET = "dw.dim_customer"

incoming = spark.table("raw.customers").select("customer_id", F.lower("email").alias("email"), "country", "signup_date")
incoming.createOrReplaceTempView("incoming")
current = spark.table(TARGET).where("is_current")

changed = (
    incoming.alias("n")
    .join(current.alias("o"), "customer_id", "left")
    .where(
        (F.col("n.email") != F.col("o.email")) | (F.col("n.country") != F.col("o.country")) | F.col("o.email").isNull()
    )
    .select("customer_id", "n.email", "n.country", "n.signup_date")
)
changed.createOrReplaceTempView("changed")

spark.sql(f"""
    MERGE INTO {TARGET} AS t
    USING changed AS s
    ON t.customer_id = s.customer_id AND t.is_current
    WHEN MATCHED THEN UPDATE SET valid_to = s.signup_date, is_current = false
""")
spark.sql(f"""
    MERGE INTO {TARGET} t USING changed s ON t.customer_id = s.customer_id AND t.valid_from = s.signup_date
    WHEN NOT MATCHED THEN INSERT (customer_id, email, country, valid_from, valid_to, is_current)
    VALUES (s.customer_id, s.email, s.country, s.signup_date, NULL, true)
""")
