# orders.csv(order_id id, customer_id key, product_id key, status word, qty int, price float, placed day)
# customers.parquet(customer_id key, name text, region word, joined date)
# products.csv(product_id key, category word, cost float)
import polars as pl

orders = pl.scan_csv("orders.csv").filter(pl.col("qty") > 5)
customers = pl.scan_parquet("customers.parquet").unique(
    "customer_id", keep="first", maintain_order=True
)
products = pl.scan_csv("products.csv").unique("product_id", keep="first", maintain_order=True)
margin = (
    orders.join(customers, on="customer_id")
    .join(products, on="product_id")
    .with_columns(margin=(pl.col("price") - pl.col("cost")) * pl.col("qty"))
    .group_by("region", "category")
    .agg(pl.col("margin").sum())
    .sort("region", "category")
)
margin.sink_csv("margin.csv")
