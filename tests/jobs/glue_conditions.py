"""AWS Glue: conditions over the fields of a record."""

from awsglue.context import GlueContext
from awsglue.transforms import Filter, Map
from pyspark.context import SparkContext

glue = GlueContext(SparkContext())
orders = glue.create_dynamic_frame.from_catalog(database="raw", table_name="orders")
paid = Filter.apply(frame=orders, f=lambda rec: rec["status"] == "paid" and rec["qty"] > 1)


def is_open(rec):
    if rec["qty"] > 1:
        return True
    return rec.get("status") not in ("void", "returned") or not rec["discount"]


def add_band(rec):
    rec["band"] = "high" if rec["amount"] > 100 else "low"
    rec["place"] = rec["store"] or rec["status"]
    return rec


left = Filter.apply(frame=orders, f=is_open)
bands = Map.apply(frame=paid, f=add_band)
glue.write_dynamic_frame.from_catalog(
    frame=left.select_fields(["order_id"]), database="dw", table_name="open_orders"
)
glue.write_dynamic_frame.from_catalog(
    frame=bands.select_fields(["order_id", "band", "place"]), database="dw", table_name="bands"
)
