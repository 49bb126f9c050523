import glob

import pandas as pd

orders = pd.concat([pd.read_csv(path) for path in sorted(glob.glob("orders.csv"))])
orders["net"] = orders["qty"] * orders["price"]
orders[["order_id", "net"]].to_csv("out/net.csv", index=False)
