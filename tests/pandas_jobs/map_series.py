import pandas as pd

orders = pd.read_csv("orders.csv")
products = pd.read_csv("products.csv")
titles = products.set_index("product_id")["title"]
orders["title"] = orders["product_id"].map(titles)
orders[["order_id", "title"]].to_csv("out/titles.csv", index=False)
