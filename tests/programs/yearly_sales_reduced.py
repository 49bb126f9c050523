from functools import reduce
from pyspark.sql import DataFrame, SparkSession
import pyspark.sql.functions as F

CONFIG = {"years": [2022, 2023], "prefix": "raw.sales_", "renames": {"id": "sale_id", "amount": "gross"}}

def read_year(spark, year):
    return spark.table(f"{CONFIG['prefix']}{year}").withColumn("year", F.lit(year))

def rename_all(df, mapping):
    return reduce(lambda acc, kv: acc.withColumnRenamed(*kv), mapping.items(), df)

def add_tax(rate):
    def inner(df: DataFrame) -> DataFrame:
        return df.withColumn("tax", F.col("gross") * rate)
    return inner

def main():
    spark = SparkSession.builder.appName("job").getOrCreate()
    parts = [read_year(spark, y) for y in CONFIG["years"]]
    all_sales = reduce(DataFrame.unionByName, parts)
    result = all_sales.transform(lambda d: rename_all(d, CONFIG["renames"])).transform(add_tax(0.2))
    result.createOrReplaceTempView("v")
    summary = spark.sql("""
        WITH top AS (SELECT region, sum(gross) AS g, max(tax) AS t FROM v GROUP BY region HAVING sum(gross) > 10)
        SELECT region, g, t, rank() OVER (ORDER BY g DESC) AS pos FROM top
    """)
    summary.write.saveAsTable("mart.yearly_summary")
    result.groupBy("region").pivot("year", [2022, 2023]).agg(F.sum("gross"), F.avg("tax").alias("avg_tax")).write.saveAsTable("mart.yearly_pivot")

if __name__ == "__main__":
    main()
