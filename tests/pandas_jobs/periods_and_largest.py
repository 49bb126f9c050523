import pandas as pd

orders = pd.read_csv("orders.csv", parse_dates=["order_date"])
orders["week"] = orders["order_date"].dt.to_period("W").dt.start_time
orders["next"] = orders["order_date"].dt.to_period("M").dt.end_time
orders[["order_id", "week", "next"]].to_csv("out/weeks.csv", index=False)
top = orders.groupby("customer_id")["price"].nlargest(2).reset_index(level=0)
top.to_csv("out/top.csv", index=False)
orders["price"].nsmallest(3).to_csv("out/cheap.csv", index=False)
