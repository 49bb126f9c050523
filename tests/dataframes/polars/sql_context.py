# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# customers.parquet(customer_id key, name text, region word, joined date)
import polars as pl

orders = pl.scan_csv("orders.csv")
customers = pl.scan_parquet("customers.parquet")
ctx = pl.SQLContext(orders=orders, clients=customers)
result = ctx.execute(
    """
    SELECT c.region, SUM(o.price) AS revenue
    FROM orders AS o JOIN clients AS c ON o.customer_id = c.customer_id
    WHERE o.status <> 'green'
    GROUP BY c.region
    ORDER BY c.region
    """
)
result.collect().write_csv("regions.csv")
