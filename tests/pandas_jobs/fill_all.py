import pandas as pd

orders = pd.read_csv("orders.csv")
orders = orders.fillna(0)
orders["net"] = orders["price"] - orders["discount"]
orders[["order_id", "discount", "net"]].to_csv("out/filled.csv", index=False)
