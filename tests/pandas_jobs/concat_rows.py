import pandas as pd

orders = pd.read_csv("orders.csv", usecols=["customer_id", "price"])
events = pd.read_csv("events.csv", usecols=["user_id", "value"])
events.columns = ["customer_id", "price"]
stacked = pd.concat([orders.assign(source="order"), events.assign(source="event")], ignore_index=True)
stacked.to_csv("out/stacked.csv", index=False)
