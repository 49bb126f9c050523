import pandas as pd

orders = pd.read_csv("orders.csv")
customers = pd.read_csv("customers.csv")
gold = customers.loc[customers["tier"] == "gold", "customer_id"]
chosen = orders[orders["customer_id"].isin(gold)]
chosen[["order_id", "price"]].to_csv("out/gold.csv", index=False)
