import pandas as pd

orders = pd.read_csv("orders.csv")
orders["total"] = orders["qty"] * orders["price"]
paid = orders[orders["status"] == "paid"]
paid[["order_id", "total"]].to_csv("out/paid.csv", index=False)
