"""Features that several models derive in the same way."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F


def with_order_history(orders: DataFrame) -> DataFrame:
    """Add the number of each order of a customer, and what came before it."""
    history = Window.partitionBy("customer_id").orderBy("order_date", "order_id")
    before = F.lag("order_date").over(history)
    return orders.withColumns(
        {
            "order_number": F.row_number().over(history),
            "previous_amount": F.lag("amount").over(history),
            "days_since_previous": F.datediff(F.col("order_date"), before),
            "running_total": F.sum("amount").over(history),
        }
    )


def value_band(amount: str, medium: int, high: int) -> Column:
    """Sort an amount into low, medium and high."""
    value = F.col(amount)
    return F.when(value >= high, "high").when(value >= medium, "medium").otherwise("low")
