import pandas as pd

orders = pd.read_csv("orders.csv")
busy = orders.groupby("customer_id").filter(lambda g: g["price"].sum() > 100)
busy[["order_id", "customer_id"]].to_csv("out/busy.csv", index=False)
