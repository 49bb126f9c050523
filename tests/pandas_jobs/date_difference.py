import pandas as pd

orders = pd.read_csv("orders.csv")
customers = pd.read_csv("customers.csv")
df = orders.merge(customers[["customer_id", "signup"]], on="customer_id")
df["age_days"] = (pd.to_datetime(df["order_date"]) - pd.to_datetime(df["signup"])).dt.days
df[["order_id", "age_days"]].to_csv("out/ages.csv", index=False)
