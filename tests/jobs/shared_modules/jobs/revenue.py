from common.helpers import latest, tidy


def run(spark, settings):
    orders = tidy(spark.table(settings.table("orders")), keep=["order_id", "customer_id", "amount", "placed_at"])
    latest(orders, ["customer_id"], ["placed_at"]).write.mode("overwrite").saveAsTable(settings.output("last_revenue"))
