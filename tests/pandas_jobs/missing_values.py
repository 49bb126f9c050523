import pandas as pd

orders = pd.read_csv("orders.csv")
orders["discount"] = orders["discount"].fillna(0)
orders["final"] = orders["price"] - orders["discount"]
kept = orders.dropna(subset=["price"])
kept[["order_id", "discount", "final"]].to_csv("out/final.csv", index=False)
