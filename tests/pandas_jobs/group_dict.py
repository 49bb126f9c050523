import pandas as pd

orders = pd.read_csv("orders.csv")
agg = orders.groupby(["status", "customer_id"], as_index=False).agg({"price": "mean", "qty": "sum"})
agg.to_csv("out/agg.csv", index=False)
