import pandas as pd

orders = pd.read_csv("orders.csv")
latest = orders.sort_values("order_date").groupby("customer_id").tail(1)
latest[["customer_id", "order_date", "price"]].to_csv("out/latest.csv", index=False)
