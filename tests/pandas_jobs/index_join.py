import pandas as pd

orders = pd.read_csv("orders.csv")
customers = pd.read_csv("customers.csv").set_index("customer_id")
spent = orders.groupby("customer_id")["price"].sum().rename("spent")
joined = customers[["name"]].join(spent, how="left")
joined.reset_index().to_csv("out/spent.csv", index=False)
