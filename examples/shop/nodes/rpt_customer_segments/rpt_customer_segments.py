"""Customers by what they spend: DataFrames and SQL side by side."""

from features import value_band


def model(dbt, session):
    dbt.ref("feat_customer_orders").createOrReplaceTempView("features")
    habits = session.sql("""
        select
          customer_id,
          max(order_number) as orders,
          avg(days_since_previous) as days_between_orders,
          max(running_total) as revenue
        from features
        group by customer_id
    """)
    customers = dbt.ref("dim_customers").select("customer_id", "customer_name", "computed_tier")
    return (
        customers.join(habits, "customer_id", "left")
        .fillna(0, subset=["orders", "revenue"])
        .withColumn("segment", value_band("revenue", medium=200, high=500))
    )
