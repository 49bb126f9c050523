import pandas as pd

products = pd.read_csv("products.csv")
products[["product_id", "cost"]].to_parquet("out/products.parquet", index=False)
products[["product_id", "title"]].to_json("out/products.json", orient="records")
again = pd.read_parquet("out/products.parquet")
again["cost"] = again["cost"] + 1
again.to_feather("out/again.feather")
