import pandas as pd

orders = pd.read_csv("orders.csv")
by = orders.groupby("status")["price"]
orders["share"] = orders["price"] / by.transform("sum")
orders["pos"] = by.rank(method="first")
orders[["share", "pos"]].to_csv("out/share.csv", index=False)
