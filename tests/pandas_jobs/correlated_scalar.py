import pandas as pd

orders = pd.read_csv("orders.csv")
paid = orders[orders["status"] == "paid"]
limit = paid["price"].mean()
orders["expensive"] = orders["price"] > limit
orders[["order_id", "expensive"]].to_csv("out/expensive.csv", index=False)
