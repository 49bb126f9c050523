import pandas as pd

orders = pd.read_csv("orders.csv")
orders = orders.astype({"customer_id": str, "price": int})
orders["key"] = orders["customer_id"] + "-" + orders["status"]
orders[["key", "price"]].to_csv("out/keys.csv", index=False)
