import pandas as pd

orders = pd.read_csv("orders.csv")
for name in ["qty", "price"]:
    orders[f"{name}_scaled"] = (orders[name] - orders[name].min()) / orders[name].max()
orders[["order_id", "qty_scaled", "price_scaled"]].to_csv("out/scaled.csv", index=False)
