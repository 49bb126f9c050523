import pandas as pd

orders = pd.read_csv("orders.csv", usecols=["order_id", "price", "qty"])
same = orders

def add_total(frame):
    frame["total"] = frame["price"] * frame["qty"]

add_total(same)
orders.to_csv("out/totals.csv", index=False)
