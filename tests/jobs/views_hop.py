from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lit, current_timestamp, row_number
from pyspark.sql import Window

spark = SparkSession.builder.getOrCreate()

VIEWS = {
    "v_orders": "SELECT order_id, customer_id, amount - coalesce(discount, 0) AS net, status FROM raw.orders",
    "v_paid": "SELECT * FROM v_orders WHERE status IN ('paid', 'shipped')",
    "v_cust": """
        WITH ranked AS (
            SELECT customer_id, email, signup_date,
                   row_number() OVER (PARTITION BY lower(email) ORDER BY signup_date) AS rn
            FROM raw.customers)
        SELECT customer_id, email FROM ranked WHERE rn = 1
    """,
}
for name, query in VIEWS.items():
    spark.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}")

joined = spark.table("v_paid").join(spark.table("v_cust"), "customer_id")
joined.createOrReplaceTempView("joined")
summary = spark.sql("SELECT email, sum(net) total, count(DISTINCT order_id) n FROM joined GROUP BY email")
summary = summary.withColumn("loaded_at", current_timestamp()).withColumn("source", lit("job"))
summary.createOrReplaceTempView("joined")          # name reused on purpose
top = spark.sql("select * from joined where total > {limit}", limit=100)
top.write.mode("overwrite").saveAsTable("dw.top_customers")

spark.sql("DROP TABLE IF EXISTS dw.best")
spark.sql("""
    CREATE TABLE dw.best USING parquet AS
    SELECT t.*, rank() OVER (ORDER BY t.total DESC) AS pos FROM joined t
""")
best = spark.table("dw.best").where(col("pos") <= 10)
best.select("email", "pos").write.insertInto("dw.best_list") if spark.catalog.tableExists("dw.best_list") else best.select("email", "pos").write.saveAsTable("dw.best_list")
spark.sql("INSERT INTO dw.totals SELECT customer_id, max(net), NULL FROM v_paid GROUP BY ALL")
spark.sql("INSERT INTO dw.totals (total, customer_id, last_order) SELECT o.amount, o.customer_id, o.placed_at FROM raw.orders o WHERE o.customer_id = :cid", args={"cid": 5})
