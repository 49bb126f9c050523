import pandas as pd

orders = pd.read_csv("orders.csv")

def charge(row):
    if row["status"] == "void":
        return 0
    return row["price"] * row["qty"]

orders["charge"] = orders.apply(charge, axis=1)
orders["tag"] = orders.apply(lambda r: f"{r['status']}-{r['product_id']}", axis=1)
orders[["charge", "tag"]].to_csv("out/charge.csv", index=False)
