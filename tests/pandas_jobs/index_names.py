import pandas as pd

totals = pd.read_csv("orders.csv").groupby("customer_id")[["qty", "price"]].sum()
totals.index.name = "customer"
totals.reset_index().to_csv("out/totals.csv", index=False)
ages = pd.read_csv("customers.csv").set_index("customer_id")[["age"]]
ages.reset_index(names="id").to_csv("out/ages.csv", index=False)
spread = pd.read_csv("orders.csv").groupby("status").agg({"price": ["min", "max"]})
spread.columns = spread.columns.droplevel(0)
spread.to_csv("out/spread.csv")
