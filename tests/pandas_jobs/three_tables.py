import pandas as pd

orders = pd.read_csv("orders.csv")
customers = pd.read_csv("customers.csv")
products = pd.read_csv("products.csv")
df = (
    orders.merge(customers, on="customer_id")
    .merge(products, on="product_id")
)
df["profit"] = df["qty"] * (df["price"] - df["cost"])
report = df.groupby(["city", "category"], as_index=False).agg(profit=("profit", "sum"), n=("order_id", "nunique"))
report.sort_values("profit", ascending=False).to_csv("out/profit.csv", index=False)
