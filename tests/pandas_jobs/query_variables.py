import pandas as pd

orders = pd.read_csv("orders.csv")
customers = pd.read_csv("customers.csv")
known = customers.loc[customers["tier"] == "gold", "customer_id"].unique()
usual = orders["price"].median()
large = orders.query("customer_id in @known and price > @usual")
large[["order_id", "qty"]].to_csv("out/large.csv", index=False)
