"""Columns in all their spellings."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.functions import broadcast, col, lit, when

spark = SparkSession.builder.getOrCreate()
o = spark.table("raw.orders")
c = spark.table("raw.customers")


def save(df, name):
    df.write.saveAsTable(f"dw.c_{name}")


save(o[["order_id", "amount"]], "brackets")
save(o["order_id", "store"], "tuple")
save(o.select(o.colRegex("`.*_id`")), "regex")
save(o.alias("x").select("x.*").drop("tags").select("store", "qty"), "star")
save(o.select(F.col("*"), F.lit(1).alias("one")).select("order_id", "one"), "star2")
save(o.select(F.struct("order_id", "store").alias("s"), F.struct(F.col("amount")).alias("t")).select("s.store", F.col("t.amount")), "structs")
save(o.withColumn("s", F.struct("amount", "qty")).withColumn("s", col("s").withField("x", col("discount"))).select(col("s.x"), col("s").dropFields("x").alias("rest")), "fields")
save(o.select(F.expr("amount * 2 as twice"), F.expr("upper(store)").alias("st"), "order_id as"[:8]), "exprs")
save(o.select(when(col("qty") > 1, "many").when(col("qty") == 1, o.store).alias("w"), F.coalesce(*[col(x) for x in ("store", "status")]).alias("co")), "whens")
save(o.select(F.split("store", "-").getItem(0).alias("a"), F.split(o.store, "-")[1].alias("b"), (-o.amount).alias("n"), (1 - o.discount).alias("d")), "items")
save(o.select((col("amount") % 2 == 0).alias("even"), (col("qty") ** 2).alias("sq"), col("store").rlike("x").alias("rx"), col("qty").bitwiseAND(1).alias("bit")), "operators")
save(c.select(F.get_json_object("email", "$.a").alias("j"), F.from_json("email", "a INT, b STRING").alias("k")).select("j", "k.b"), "json")
save(c.select("customer_id", F.json_tuple("email", "x", "y").alias("x", "y")), "json2")
save(c.select(F.to_json(F.struct("first_name", "country")).alias("doc")), "json3")
save(o.select(F.sum("amount").over(Window.partitionBy()).alias("all"), F.count(lit(1)).over(Window.partitionBy(["store", "status"])).alias("n")), "windows")
save(o.select(F.row_number().over(Window.orderBy(lit(1))).alias("rn"), F.sum(when(col("qty") > 1, col("amount"))).over(Window.partitionBy("store").orderBy("placed_at")).alias("s")), "windows2")
save(o.agg(F.max("amount"), F.min(o.amount).alias("m")).toDF("mx", "mn"), "totals")
save(o.groupBy(F.year("placed_at").alias("y"), o.store).agg(F.avg(col("amount") / col("qty")).alias("p")), "grouped")
save(o.groupBy(["store"]).agg(F.count("*").alias("n"), F.count("discount").alias("nd"), F.collect_list(F.struct("qty", "amount")).alias("l")), "grouped2")
save(o.groupBy("store").mean("amount", "qty").withColumnRenamed("avg(amount)", "am").withColumnRenamed("avg(qty)", "aq"), "mean")
save(o.join(other=broadcast(c), on=o.customer_id == c.customer_id, how="leftsemi").select("order_id"), "semi")
save(o.withColumn(colName="k", col=F.concat_ws("|", col("store"), col("status"))).select("k"), "keywords")
save(o.withColumn("amount", col("amount").cast("decimal(10,2)")).withColumn("amount2", col("amount") + 1).select("amount2"), "chain")
save(o.select(col("placed_at").cast("date").alias("d")).distinct().select(F.dayofweek("d").alias("w"), F.last_day(col("d")).alias("l")), "dates")
save(o.select(F.arrays_zip("tags", F.array("store")).alias("z"), F.map_concat(F.create_map("store", "amount"), F.create_map("status", "discount")).alias("m")), "zips")
save(o.select(F.explode(F.array("store", "status")).alias("v"), "order_id"), "fixed")
save(o.select("order_id", F.explode(F.split("store", ",")).alias("p")).withColumn("p", F.trim("p")).where("p <> ''"), "split")
save(o.select("order_id", F.flatten(F.array(F.col("tags"), F.array("store"))).alias("f"), F.slice("tags", 1, 2).alias("sl")), "arrays")
save(o.select(F.col("amount").alias("Amount", metadata={"unit": "EUR"}), F.typeof("qty").alias("t"), F.input_file_name().alias("file")), "meta")
