from string import Template
from textwrap import dedent
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
PARAMS = dict(db="raw", min_amount=10, cols=["order_id", "customer_id", "amount"])

q1 = "SELECT {cols} FROM {db}.orders WHERE amount > {min_amount}".format(**{**PARAMS, "cols": ", ".join(PARAMS["cols"])})
spark.sql(q1).write.mode("overwrite").saveAsTable("dw.q1")
q2 = Template(dedent("""
    SELECT c.country, sum(o.amount) AS total
    FROM $db.orders o JOIN $db.customers c ON o.customer_id = c.customer_id
    GROUP BY c.country
""")).substitute(PARAMS)
spark.sql(q2).write.mode("overwrite").saveAsTable("dw.q2")
orders = spark.table("raw.orders")
spark.sql("SELECT store, max(amount) AS top FROM {t} WHERE status = :s GROUP BY store", args={"s": "paid"}, t=orders).write.mode("overwrite").saveAsTable("dw.q3")
spark.sql("SELECT order_id FROM raw.orders WHERE amount BETWEEN ? AND ?", args=[1, 2]).write.mode("overwrite").saveAsTable("dw.q4")
spark.sql("SELECT * FROM %s.%s LIMIT 5" % ("raw", "rates")).write.mode("overwrite").saveAsTable("dw.q5")
metrics = {"cpu": "avg", "mem": "max", "disk": "min"}
select = ",\n".join(f"{fn}({c}) AS {fn}_{c}" for c, fn in metrics.items())
spark.sql(f"""
    SELECT host, {select}
    FROM raw.metrics
    GROUP BY host
    HAVING {' OR '.join(f'{fn}({c}) > 0' for c, fn in metrics.items())}
""").write.mode("overwrite").saveAsTable("dw.q6")
cases = " ".join(f"WHEN amount < {lim} THEN '{name}'" for name, lim in [("s", 10), ("m", 100)])
orders.selectExpr("order_id", f"CASE {cases} ELSE 'l' END AS size", "amount * qty AS gross", "gross / 2 AS half").write.mode("overwrite").saveAsTable("dw.q7")
spark.sql("SELECT o.order_id, l.tag, pos FROM raw.orders o LATERAL VIEW OUTER posexplode(tags) l AS pos, tag WHERE l.tag LIKE 'x%'").write.mode("overwrite").saveAsTable("dw.q8")
spark.sql("SELECT dept, name, salary FROM (SELECT *, dense_rank() OVER w AS r FROM raw.employees WINDOW w AS (PARTITION BY dept ORDER BY salary DESC)) WHERE r <= 3").write.mode("overwrite").saveAsTable("dw.q9")
spark.sql("SELECT region, channel, sum(amount) s FROM raw.sales_2023 GROUP BY GROUPING SETS ((region), (region, channel), ())").write.mode("overwrite").saveAsTable("dw.q10")
spark.sql("SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, name) JOIN raw.sales_2022 USING (id)").write.mode("overwrite").saveAsTable("dw.q11")
spark.sql("FROM raw.metrics |> WHERE cpu > 1 |> AGGREGATE avg(mem) AS m GROUP BY host |> SELECT host, m").write.mode("overwrite").saveAsTable("dw.q12")
spark.sql("SELECT * EXCEPT (tags, placed_at), amount AS amt FROM raw.orders").write.mode("overwrite").saveAsTable("dw.q13")
