import pandas as pd

orders = pd.read_csv("orders.csv")
orders["discount"].fillna(0, inplace=True)
orders["qty"][orders["status"] == "void"] = 0
orders[["order_id", "discount", "qty"]].to_csv("out/changed.csv", index=False)
