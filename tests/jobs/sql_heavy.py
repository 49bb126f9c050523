"""Most of the work is SQL, put together from pieces."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.enableHiveSupport().getOrCreate() if False else SparkSession.builder.getOrCreate()

COLUMNS = {"revenue": "sum(o.amount)", "items": "sum(o.qty)", "stores": "count(DISTINCT o.store)"}
FILTERS = ["o.status = 'paid'", "c.country IN ('DE', 'FR')"]
QUERY = """
SELECT {keys}, {measures}
FROM raw.orders o
JOIN raw.customers c ON o.customer_id = c.customer_id
WHERE {where}
GROUP BY {keys}
"""


def query(keys):
    measures = ",\n".join(f"{expression} AS {name}" for name, expression in COLUMNS.items())
    return QUERY.format(keys=", ".join(keys), measures=measures, where=" AND ".join(FILTERS))


for level in (["country"], ["country", "segment"]):
    name = "dw.revenue_by_" + "_".join(level)
    spark.sql(query([f"c.{key}" for key in level])).write.mode("overwrite").saveAsTable(name)

spark.sql(
    "CREATE OR REPLACE TEMPORARY VIEW monthly AS SELECT trunc(placed_at, 'MM') AS month, store, amount FROM raw.orders"
)
spark.sql("CACHE TABLE monthly")
spark.sql("""
    CREATE TABLE dw.monthly USING parquet AS
    SELECT month, store, amount, lag(amount) OVER (PARTITION BY store ORDER BY month) AS before
    FROM (SELECT month, store, sum(amount) AS amount FROM monthly GROUP BY month, store HAVING count(*) > 2)
""")
spark.sql(
    "INSERT OVERWRITE TABLE dw.totals SELECT customer_id, %s, NULL FROM raw.orders WHERE %s"
    % ("amount - discount", "qty > 0")
)
growth = spark.sql("SELECT store, amount / before - 1 AS growth FROM dw.monthly")
growth.where("growth IS NOT NULL").write.saveAsTable("dw.growth")
