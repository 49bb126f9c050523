import hashlib
import re

from awsglue.context import GlueContext
from awsglue.transforms import Map
from pyspark.context import SparkContext

glue = GlueContext(SparkContext())
customers = glue.create_dynamic_frame.from_catalog(database="raw", table_name="customers")


def mask(record):
    record["email"] = hashlib.sha256(record["email"].lower().encode()).hexdigest()
    record["last_name"] = re.sub(r"\s+", " ", record["last_name"]).strip().title()
    record["label"] = f"{record['country']}-{record['customer_id']}"
    record["length"] = len(record["segment"])
    return record


masked = customers.map(f=mask)
short = Map.apply(
    frame=masked,
    f=lambda each: {
        "id": each["customer_id"],
        "email": each["email"],
        "name": each["last_name"],
        "label": each["label"],
        "length": each["length"],
    },
)
glue.write_dynamic_frame.from_catalog(frame=short, database="silver", table_name="customers")
