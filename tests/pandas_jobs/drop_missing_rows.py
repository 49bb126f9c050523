import pandas as pd

orders = pd.read_csv("orders.csv")
known = orders.dropna(subset=["discount"])
known = known.drop_duplicates(subset=["customer_id"], keep="first")
known[["order_id", "discount"]].to_csv("out/known.csv", index=False)
