import pandas as pd

orders = pd.read_csv("orders.csv", usecols=["customer_id", "price", "status"])
first = orders[orders["status"] == "paid"].groupby("customer_id", as_index=False)["price"].sum()
second = orders[orders["status"] == "open"].groupby("customer_id", as_index=False)["price"].sum()
pair = first.merge(second, on="customer_id", suffixes=("_paid", "_open"))
pair["gap"] = pair["price_paid"] - pair["price_open"]
pair.to_csv("out/pair.csv", index=False)
