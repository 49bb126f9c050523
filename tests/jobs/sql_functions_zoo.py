"""Many functions, each with its own way of using its arguments."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders")
p = spark.table("raw.products")
e = spark.table("raw.employees")

o.select(
    "order_id",
    F.greatest("amount", "discount").alias("g"),
    F.ifnull("discount", F.lit(0.0)).alias("i"),
    F.nvl2("discount", "amount", F.lit(0.0)).alias("n2"),
    F.date_format("placed_at", "yyyy-MM").alias("ym"),
    F.date_add(F.to_date("placed_at"), 3).alias("due"),
    F.months_between(F.current_date(), "placed_at").alias("age"),
    F.hash("order_id", "store").alias("h"),
    F.md5(F.concat("store", "status")).alias("m"),
    F.size("tags").alias("n_tags"),
    F.array_contains("tags", "gift").alias("gift"),
    F.col("tags")[0].alias("first_tag"),
    F.element_at("tags", -1).alias("last_tag"),
    F.array_join(F.array_sort("tags"), ",").alias("tag_text"),
    F.col("status").substr(1, 3).alias("st"),
    F.col("status").like("p%").alias("is_p"),
    F.col("amount").between(1, 5).alias("mid"),
    F.col("store").startswith("x").alias("x"),
    F.monotonically_increasing_id().alias("row"),
    F.format_string("%s-%d", "store", "qty").alias("label"),
    F.map_from_arrays(F.array(F.lit("a")), F.array("amount")).alias("as_map"),
    F.sequence(F.lit(1), "qty").alias("steps"),
).write.saveAsTable("dw.zoo")

p.select("product_id", F.map_keys("attrs").alias("keys"), F.col("attrs")["color"].alias("color"), F.col("attrs").getItem("size").alias("size")).write.saveAsTable("dw.zoo_maps")
p.select("product_id", F.map_filter("attrs", lambda k, v: k != "x").alias("kept"), F.transform_values("attrs", lambda k, v: F.upper(v)).alias("up")).write.saveAsTable("dw.zoo_maps2")

w = Window.partitionBy("dept").orderBy(F.desc("salary"))
e.select(
    "emp_id",
    F.percent_rank().over(w).alias("pr"),
    F.cume_dist().over(w).alias("cd"),
    F.nth_value("name", 2).over(w).alias("second"),
    F.lead("salary", 1, 0).over(w).alias("next_salary"),
    (F.max("salary").over(Window.partitionBy("dept")) - F.col("salary")).alias("gap"),
    F.collect_list("name").over(w.rowsBetween(-1, 1)).alias("near"),
).write.saveAsTable("dw.zoo_windows")

e.groupBy("dept").agg(
    F.percentile_approx("salary", 0.5).alias("median"),
    F.corr("salary", "emp_id").alias("corr"),
    F.max_by("name", "salary").alias("best_paid"),
    F.sum_distinct("salary").alias("sd"),
    F.count_if(F.col("salary") > 10).alias("ci"),
    F.bool_or(F.col("manager_id").isNull()).alias("has_head"),
    F.array_sort(F.collect_set("name")).alias("names"),
    F.first("hired").alias("first_hired"),
    F.variance("salary").alias("v"),
    F.mode("manager_id").alias("m"),
    F.any_value("name").alias("someone"),
).write.saveAsTable("dw.zoo_aggregates")
