import pandas as pd

events = pd.read_csv("events.csv", usecols=["user_id", "kind", "value"])
customers = pd.read_csv("customers.csv", usecols=["customer_id", "city"])
both = pd.merge(events, customers, left_on="user_id", right_on="customer_id")
both = both.drop(columns=["customer_id"])
both.to_csv("out/both.csv", index=False)
