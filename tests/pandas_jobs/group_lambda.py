import pandas as pd

orders = pd.read_csv("orders.csv")
spread = orders.groupby("customer_id")["price"].agg(lambda s: s.max() - s.min())
spread = spread.reset_index(name="spread")
spread.to_csv("out/spread.csv", index=False)
