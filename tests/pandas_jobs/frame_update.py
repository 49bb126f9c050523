import pandas as pd

orders = pd.read_csv("orders.csv", usecols=["qty", "price", "status"])
changes = pd.read_csv("events.csv", usecols=["value"]).rename(columns={"value": "price"})
orders.update(changes)
orders.to_csv("out/updated.csv", index=False)
