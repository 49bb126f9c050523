"""All movements of money, whichever channel they come from: a union by name."""

from functools import reduce

from pyspark.sql import functions as F

SIGNS = {"order": 1, "payment": -1}


def movements(frame, channel):
    """The rows of one channel: what is due counts up, what is paid counts down."""
    return frame.withColumns(
        {
            "reference": F.concat_ws("-", F.lit(channel), f"{channel}_id"),
            "amount": F.col("amount") * SIGNS[channel],
            "channel": F.lit(channel),
        }
    ).drop("order_id", "payment_id", "status")


def model(dbt, session):
    orders = (
        dbt.ref("stg_orders")
        .where("status != 'cancelled'")
        .withColumnRenamed("order_date", "moved_on")
    )
    channels = [movements(orders, "order"), movements(dbt.ref("stg_payments"), "payment")]
    return reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), channels)
