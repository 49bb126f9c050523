import pandas as pd

orders = pd.read_csv("orders.csv")
products = pd.read_csv("products.csv")


def cost_of(row):
    found = products[products["product_id"] == row["product_id"]]
    return found["cost"].sum() * row["qty"]


orders["cost"] = orders.apply(cost_of, axis=1)
orders[["order_id", "cost"]].to_csv("out/costs.csv", index=False)
