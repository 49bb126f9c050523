"""Orders of each customer by day; later runs only count the last day again, and the days after it."""


def model(dbt, session):
    dbt.config(materialized="incremental", unique_key=["customer_id", "order_date"])
    orders = dbt.ref("stg_orders")
    if dbt.is_incremental:
        orders = orders.where(f"order_date >= (select max(d.order_date) from {dbt.this} d)")
    orders.createOrReplaceTempView("counted")
    return session.sql("""
        select customer_id, order_date, count(order_id) as orders, sum(amount) as revenue
        from counted
        group by customer_id, order_date
    """)
