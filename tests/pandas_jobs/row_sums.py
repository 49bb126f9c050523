import pandas as pd

orders = pd.read_csv("orders.csv")
orders["score"] = orders[["qty", "price"]].sum(axis=1)
orders["worst"] = orders[["qty", "price"]].min(axis=1)
orders[["score", "worst"]].to_csv("out/scores.csv", index=False)
