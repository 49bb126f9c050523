import pandas as pd

import os

orders = pd.read_csv("orders.csv")
if os.environ.get("LINEAL_JOB_FULL"):
    orders = orders[orders["status"] == "paid"]
else:
    orders = orders[orders["qty"] > 2]
orders[["order_id", "qty"]].to_csv("out/branch.csv", index=False)
