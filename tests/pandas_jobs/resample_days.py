import pandas as pd

orders = pd.read_csv("orders.csv", parse_dates=["order_date"])
monthly = orders.set_index("order_date").resample("MS")["price"].sum()
monthly.reset_index().to_csv("out/resampled.csv", index=False)
