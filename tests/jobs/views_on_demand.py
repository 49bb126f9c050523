from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()


class Catalog:
    """Views by name, created lazily from SQL with dependencies."""

    SQL = {
        "base": "SELECT customer_id, country, segment FROM raw.customers",
        "spend": "SELECT customer_id, sum(amount) AS spend FROM raw.orders GROUP BY customer_id",
        "joined": "SELECT b.*, coalesce(s.spend, 0) AS spend FROM base b LEFT JOIN spend s ON b.customer_id = s.customer_id",
        "ranked": "SELECT *, rank() OVER (PARTITION BY country ORDER BY spend DESC) AS rnk FROM joined",
    }
    DEPENDS = {"joined": ["base", "spend"], "ranked": ["joined"]}

    def __init__(self):
        self.made = set()

    def need(self, name):
        for d in self.DEPENDS.get(name, []):
            self.need(d)
        if name not in self.made:
            spark.sql(self.SQL[name]).createOrReplaceTempView(name)
            self.made.add(name)
        return spark.table(name)


cat = Catalog()
cat.need("ranked").filter("rnk <= 10").select("customer_id", "country", "spend").write.mode("overwrite").saveAsTable("dw.top_by_country")
cat.need("base").createOrReplaceTempView("x")
spark.table("x").join(spark.table("spend"), "customer_id", "left_semi").createOrReplaceTempView("x")
spark.sql("SELECT country, count(*) AS n FROM x GROUP BY country").createOrReplaceTempView("x")
spark.table("x").write.mode("overwrite").saveAsTable("dw.buyers_by_country")
spark.sql("CREATE OR REPLACE GLOBAL TEMP VIEW g AS SELECT segment, avg(spend) AS s FROM joined GROUP BY segment")
spark.read.table("global_temp.g").crossJoin(spark.table("x").agg(F.sum("n").alias("buyers"))).write.mode("overwrite").saveAsTable("dw.segment_spend")
spark.sql("CACHE TABLE cached AS SELECT store, amount FROM raw.orders WHERE amount > 0")
spark.table("cached").groupBy("store").agg(F.max("amount").alias("mx")).write.mode("overwrite").saveAsTable("dw.store_max")
