import pandas as pd

orders = pd.read_csv("orders.csv")
totals = orders.groupby("product_id", as_index=False).agg(n=("order_id", "size"), last=("order_id", "max"))
totals["share"] = totals["n"] / totals["n"].sum()
totals[["product_id", "share", "last"]].to_csv("out/shares.csv", index=False)
