import pandas as pd

orders = pd.read_csv("orders.csv", usecols=["order_id", "customer_id", "price"])
customers = pd.read_csv("customers.csv", usecols=["customer_id", "name", "tier"])
joined = orders.merge(customers, on="customer_id", how="left")
joined.to_csv("out/joined.csv", index=False)
