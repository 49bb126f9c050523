import pandas as pd

orders = pd.read_csv("orders.csv")
orders["net"] = orders["price"].sub(orders["discount"], fill_value=0)
orders[["order_id", "net"]].to_csv("out/net.csv", index=False)
