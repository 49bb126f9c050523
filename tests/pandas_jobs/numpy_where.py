import numpy as np
import pandas as pd

orders = pd.read_csv("orders.csv")
orders["band"] = np.where(orders["price"] > 40, "high", "low")
orders["fee"] = np.where(orders["status"] == "paid", orders["price"] * 0.02, 0)
orders["root"] = np.sqrt(orders["qty"]).round(2)
orders[["order_id", "band", "fee", "root"]].to_csv("out/bands.csv", index=False)
