import pandas as pd

orders = pd.read_csv("orders.csv")
orders["clean"] = orders["price"].where(orders["price"] < 80, orders["price"].median())
orders["hidden"] = orders["price"].mask(orders["status"] == "open")
orders[["clean", "hidden"]].to_csv("out/clean.csv", index=False)
