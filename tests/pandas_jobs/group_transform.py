import pandas as pd

orders = pd.read_csv("orders.csv")
orders["mean_price"] = orders.groupby("product_id")["price"].transform("mean")
orders["above"] = orders["price"] > orders["mean_price"]
orders[["order_id", "mean_price", "above"]].to_csv("out/above.csv", index=False)
