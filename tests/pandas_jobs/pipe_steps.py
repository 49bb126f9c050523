import pandas as pd

def only(df, status):
    return df[df["status"] == status]

def with_tax(df, rate=0.2):
    return df.assign(tax=df["price"] * rate)

orders = pd.read_csv("orders.csv")
orders.pipe(only, "paid").pipe(with_tax, rate=0.1)[["order_id", "tax"]].to_csv("out/tax.csv", index=False)
