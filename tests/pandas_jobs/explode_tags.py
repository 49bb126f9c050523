import pandas as pd

products = pd.read_csv("products.csv")
products["tag"] = products["tags"].str.split("|")
tags = products.explode("tag")[["product_id", "tag"]]
tags.to_csv("out/tags.csv", index=False)
