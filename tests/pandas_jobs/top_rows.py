import pandas as pd

products = pd.read_csv("products.csv")
top = products.nlargest(3, "cost")[["product_id", "title", "cost"]]
top.to_csv("out/top.csv", index=False)
