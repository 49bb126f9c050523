import pandas as pd

orders = pd.read_csv("orders.csv")

def weighted(part):
    return (part["price"] * part["qty"]).sum() / part["qty"].sum()

result = orders.groupby("product_id").apply(weighted, include_groups=False).reset_index(name="weighted")
result.to_csv("out/weighted.csv", index=False)
