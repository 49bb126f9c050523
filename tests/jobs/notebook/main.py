# Databricks notebook source
# MAGIC %run ./setup

# COMMAND ----------

# MAGIC %md
# MAGIC ## Stores

# COMMAND ----------

stores = with_revenue(spark.table(ORDERS)).groupBy("store").agg(F.sum("revenue").alias("revenue"))
stores.createOrReplaceTempView("stores")
display(stores)

# COMMAND ----------

# MAGIC %sql
# MAGIC CREATE OR REPLACE TABLE dw.best_stores AS
# MAGIC SELECT store, revenue FROM stores WHERE revenue > 100

# COMMAND ----------

_sqldf_like = spark.sql("SELECT store, rank() OVER (ORDER BY revenue DESC) AS place FROM stores")
_sqldf_like.write.mode("overwrite").saveAsTable("dw.store_places")
dbutils.notebook.exit("done")
