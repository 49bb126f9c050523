from pyspark.sql import SparkSession
from pyspark.sql.functions import *
from pyspark.sql.types import *

spark = SparkSession.builder.getOrCreate()
schema = StructType([
    StructField("code", IntegerType()),
    StructField("items", ArrayType(StructType([StructField("k", StringType()), StructField("v", DoubleType())]))),
    StructField("meta", MapType(StringType(), StringType())),
])
alerts = spark.table("iot.alerts").withColumn("body", from_json(col("payload"), schema))

flat = alerts.select("device_id", "raised_at", "body.*")
items = flat.select("device_id", "code", inline("items"))
items.write.saveAsTable("mart.alert_items")

agg_items = flat.withColumn("total", aggregate("items", lit(0.0), lambda a, x: a + x.v)) \
    .withColumn("keys", transform(col("items"), lambda x: upper(x["k"]))) \
    .withColumn("src", col("meta").getItem("src")) \
    .withColumn("n_meta", size(map_keys("meta"))) \
    .drop("items", "meta")
agg_items.write.saveAsTable("mart.alert_flat")

dev = spark.table("iot.devices")
tags = dev.select("device_id", explode_outer("tags").alias("tag", "val")).filter(col("val").isNotNull())
tags.groupBy("device_id").pivot("tag", ["owner", "team"]).agg(first("val")).write.saveAsTable("mart.device_tags")

nested = dev.select(
    struct("device_id", "model").alias("dev"),
    struct(col("site").alias("name"), year("installed").alias("since")).alias("place"),
    to_json(struct("*")).alias("raw"),
    array_sort(map_values("tags")).alias("vals"),
    map_from_arrays(array(lit("a"), lit("b")), array("site", "model")).alias("m"),
)
nested.select("dev.*", col("place.name").alias("site_name"), "place.since", col("m")["a"].alias("ma"), "vals", "raw").write.saveAsTable("mart.device_docs")
v = spark.table("health.visits")
v.select("visit_id", expr("filter(diagnoses, d -> d.primary)[0].code").alias("main"), expr("aggregate(diagnoses, 0D, (acc, d) -> acc + d.weight)").alias("w"), arrays_zip(col("diagnoses.code"), col("diagnoses.weight")).alias("z"), col("diagnoses")[0]["code"].alias("first_code"), exists("diagnoses", lambda d: d.code.startswith("C")).alias("onc")).write.saveAsTable("mart.visit_dx")
