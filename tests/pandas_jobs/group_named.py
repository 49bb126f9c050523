import pandas as pd

orders = pd.read_csv("orders.csv")
summary = orders.groupby("customer_id").agg(
    spent=("price", "sum"),
    orders=("order_id", "count"),
    largest=("qty", "max"),
)
summary.reset_index().to_csv("out/summary.csv", index=False)
