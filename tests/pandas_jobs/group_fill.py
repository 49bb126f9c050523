import pandas as pd

orders = pd.read_csv("orders.csv").sort_values(["customer_id", "order_id"])
orders["discount"] = orders.groupby("customer_id")["discount"].ffill()
table = pd.crosstab(orders["status"], orders["customer_id"], values=orders["qty"], aggfunc="sum")
table.to_csv("out/table.csv")
orders[["order_id", "discount"]].to_csv("out/filled.csv", index=False)
