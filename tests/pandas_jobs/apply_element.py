import pandas as pd

orders = pd.read_csv("orders.csv")

def size(quantity):
    if quantity > 40:
        return "large"
    elif quantity > 10:
        return "medium"
    return "small"

orders["size"] = orders["qty"].apply(size)
orders["rounded"] = orders["price"].apply(lambda p: round(p / 5) * 5)
orders[["size", "rounded"]].to_csv("out/sizes.csv", index=False)
