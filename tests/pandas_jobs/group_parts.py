import pandas as pd

orders = pd.read_csv("orders.csv")
by_status = orders.groupby("status")
by_status.get_group("paid")[["order_id", "qty"]].to_csv("out/paid.csv", index=False)
parts = []
for status, part in by_status:
    parts.append({"status": status, "total": part["price"].sum(), "most": part["qty"].max()})
pd.DataFrame(parts)[["total", "most"]].to_csv("out/parts.csv", index=False)
prices = orders.sort_values("order_date").groupby("customer_id")["price"].ohlc()
prices.reset_index().to_csv("out/ohlc.csv", index=False)
