import pandas as pd

events = pd.read_csv("events.csv").groupby("user_id", as_index=False)["value"].mean()
events = events.rename(columns={"user_id": "customer_id"})
customers = pd.read_csv("customers.csv", usecols=["customer_id", "age"])
full = customers.merge(events, on="customer_id", how="outer", indicator=True)
full.to_csv("out/full.csv", index=False)
