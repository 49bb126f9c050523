import pandas as pd

orders = pd.read_csv("orders.csv", parse_dates=["order_date"])
orders["year"] = orders["order_date"].dt.year
orders["month"] = orders["order_date"].dt.strftime("%Y-%m")
orders["weekday"] = orders["order_date"].dt.day_name()
monthly = orders.groupby("month", as_index=False)["price"].sum()
monthly.to_csv("out/monthly.csv", index=False)
orders[["order_id", "year", "weekday"]].to_csv("out/parts.csv", index=False)
