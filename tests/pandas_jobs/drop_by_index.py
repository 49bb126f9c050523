import pandas as pd

orders = pd.read_csv("orders.csv")
bad = orders[orders["qty"] < 10].index
orders = orders.drop(bad)
orders[["order_id", "price"]].to_csv("out/good.csv", index=False)
