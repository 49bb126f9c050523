import pandas as pd

orders = pd.read_csv("orders.csv")
orders["fee"] = 1.5
orders.loc[orders["status"] == "void", "fee"] = 0
orders.loc[orders["qty"] > 30, ["price", "fee"]] = 9
orders[["fee", "price"]].to_csv("out/fee.csv", index=False)
