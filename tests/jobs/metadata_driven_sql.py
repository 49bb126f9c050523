"""SQL templates filled from metadata, with string.Template, joins of lists and named arguments."""

from string import Template

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

SELECT = Template("SELECT $columns FROM $source WHERE $condition")
TABLES = {
    "dw.eu_customers": {
        "source": "raw.customers",
        "columns": {"customer_id": "id", "lower(email)": "email", "concat(first_name, ' ', last_name)": "name"},
        "where": ["country <> 'US'", "segment IS NOT NULL"],
    },
    "dw.busy_days": {"source": "raw.metrics", "columns": {"host": "host", "greatest(cpu, mem)": "load"}, "where": ["disk < 1"]},
}

for target, meta in TABLES.items():
    columns = ", ".join([f"{expr} AS {name}" for expr, name in meta["columns"].items()])
    text = SELECT.substitute(columns=columns, source=meta["source"], condition=" AND ".join(meta["where"]))
    spark.sql(text).write.mode("overwrite").saveAsTable(target)

least = spark.sql("SELECT * FROM raw.rates WHERE rate > :least", args={"least": 0.5})
least.createOrReplaceTempView("rates_view")
parts = ["SELECT currency", "max(rate) AS top"]
query = ", ".join(parts) + "\nFROM rates_view\n"
query += "GROUP BY currency"
spark.sql(query).write.saveAsTable("dw.top_rates")

unions = " UNION ALL ".join(f"SELECT id, amount, '{y}' AS year FROM raw.sales_{y}" for y in (2022, 2023))
spark.sql(f"SELECT year, sum(amount) AS total FROM ({unions}) GROUP BY year ORDER BY year").write.saveAsTable("dw.sales_years")
