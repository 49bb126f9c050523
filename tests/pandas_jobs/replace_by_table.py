import pandas as pd

orders = pd.read_csv("orders.csv")
products = pd.read_csv("products.csv")
titles = products.set_index("product_id")["title"].to_dict()
orders["label"] = orders["product_id"].replace(titles)
orders[["order_id", "label"]].to_csv("out/labels.csv", index=False)
