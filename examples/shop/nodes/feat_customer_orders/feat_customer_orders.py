"""Every order with its place in the history of its customer."""

from features import value_band, with_order_history
from pyspark.sql import functions as F


def model(dbt, session):
    orders = dbt.ref("fct_orders").where(F.col("status") != "cancelled")
    return with_order_history(orders).select(
        "order_id",
        "customer_id",
        "order_date",
        "amount",
        "order_number",
        "previous_amount",
        "days_since_previous",
        "running_total",
        value_band("amount", medium=50, high=150).alias("amount_band"),
    )
