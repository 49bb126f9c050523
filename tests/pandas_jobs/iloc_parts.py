import pandas as pd

orders = pd.read_csv("orders.csv", usecols=["order_id", "customer_id", "price", "qty"])[["price", "order_id", "customer_id", "qty"]]
part = orders.iloc[:10, [0, 3]]
part.to_csv("out/part.csv", index=False)
