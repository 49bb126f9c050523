import pandas as pd

customers = pd.read_csv("customers.csv")
customers["group"] = pd.cut(customers["age"], bins=[0, 20, 40, 100], labels=["a", "b", "c"])
customers["third"] = pd.qcut(customers["age"], 3, labels=False, duplicates="drop")
customers[["customer_id", "group", "third"]].to_csv("out/bins.csv", index=False)
