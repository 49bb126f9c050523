import duckdb
import pandas as pd

orders = pd.read_csv("orders.csv")
result = duckdb.sql("""
    SELECT customer_id, sum(price * qty) AS spent
    FROM orders
    WHERE status <> 'void'
    GROUP BY customer_id
    ORDER BY customer_id
""").df()
result["rounded"] = result["spent"].round(0)
result.to_csv("out/duck.csv", index=False)
