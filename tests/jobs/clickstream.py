from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

SESSION_GAP = 30 * 60

spark = SparkSession.builder.appName("sessionise").getOrCreate()
spark.sql("USE raw")
clicks = spark.table("clicks")
cust = spark.table("customers").selectExpr("customer_id AS cid", "concat(first_name, ' ', last_name) AS full_name", "address.city")

w = Window.partitionBy("customer_id").orderBy("ts")
sess = (
    clicks
    .withColumn("prev_ts", F.lag(F.col("ts")).over(w))
    .withColumn("gap", F.unix_timestamp("ts") - F.unix_timestamp("prev_ts"))
    .withColumn("is_new", ((F.col("gap") > SESSION_GAP) | F.col("gap").isNull()).cast("int"))
    .withColumn("sess_no", F.sum("is_new").over(w.rowsBetween(Window.unboundedPreceding, 0)))
    .withColumn("sess_id", F.concat_ws("-", "customer_id", "sess_no"))
)
agg = sess.groupBy("customer_id", "sess_id").agg(
    F.min("ts").alias("start"),
    F.max("ts").alias("end"),
    F.count(F.lit(1)).alias("events"),
    F.collect_list("url").alias("urls"),
    F.sum(F.when(F.col("kind") == "buy", F.col("value")).otherwise(0)).alias("revenue"),
    F.max_by("url", "ts").alias("exit_page"),
)
out = (
    agg.join(cust, agg["customer_id"] == cust["cid"], "inner")
    .select(agg["*"], "full_name", "city", (F.col("end").cast("long") - F.col("start").cast("long")).alias("duration"))
    .withColumn("n_urls", F.size("urls"))
    .withColumn("urls", F.expr("transform(urls, u -> lower(u))"))
    .withColumn("first_url", F.element_at("urls", 1))
)
out.write.mode("overwrite").format("parquet").saveAsTable("dw.sessions")


