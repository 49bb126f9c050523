import pandas as pd

orders = pd.read_csv("orders.csv")
orders.columns = [name.strip().lower() for name in orders.columns]
kept = [name for name in orders.columns if name not in ("discount", "order_date")]
orders[kept].drop_duplicates(subset=["order_id"]).to_csv("out/kept.csv", index=False)

names = orders.columns.tolist()
names.remove("price")
orders[names][["qty", "status"]].to_csv("out/short.csv", index=False)
