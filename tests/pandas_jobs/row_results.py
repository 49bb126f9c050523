import pandas as pd

orders = pd.read_csv("orders.csv")


def parts(row):
    return row["price"] * 0.2, row["qty"] + 1


orders[["tax", "more"]] = orders.apply(parts, axis=1, result_type="expand")
orders["label"] = orders[["status", "order_date"]].agg(" ".join, axis=1)
orders["case"] = orders["price"].case_when([(orders["qty"] > 20, 0), (orders["discount"] > 9, 1)])
orders[["tax", "more", "label", "case"]].to_csv("out/parts.csv", index=False)
