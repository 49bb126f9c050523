import pandas as pd

orders = pd.read_csv("orders.csv")
orders["effective"] = orders["discount"].combine_first(orders["qty"])
orders["capped"] = orders["price"].clip(upper=orders["qty"])
orders[["effective", "capped"]].to_csv("out/effective.csv", index=False)
