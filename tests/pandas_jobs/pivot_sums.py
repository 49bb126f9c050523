import pandas as pd

orders = pd.read_csv("orders.csv")
table = orders.pivot_table(index="customer_id", columns="status", values="price", aggfunc="sum", fill_value=0)
table.reset_index().to_csv("out/table.csv", index=False)
