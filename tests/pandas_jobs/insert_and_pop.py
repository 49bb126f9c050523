import pandas as pd

products = pd.read_csv("products.csv", usecols=["product_id", "title", "cost"])
price = products.pop("cost")
products.insert(1, "price", price * 1.5)
products.to_csv("out/inserted.csv", index=False)
