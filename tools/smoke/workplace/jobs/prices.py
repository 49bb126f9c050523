"""Adds the net price to the orders of a file."""

import pandas as pd

orders = pd.read_csv("orders.csv")
orders["net"] = orders["qty"] * orders["price"]
orders.to_parquet("net.parquet")
