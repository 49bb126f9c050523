import pandas as pd

orders = pd.read_csv("orders.csv")
wide = orders.groupby("status").agg({"price": ["min", "max"], "qty": ["sum"]})
wide.columns = ["_".join(pair) for pair in wide.columns]
wide = wide.reset_index()
wide.to_csv("out/wide.csv", index=False)
