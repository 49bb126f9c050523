import pandas as pd

orders = pd.read_csv("orders.csv")
rows = [
    {"order": row["order_id"], "net": row["qty"] * row["price"]}
    for row in orders.to_dict("records")
]
pd.DataFrame(rows).to_csv("out/rows.csv", index=False)
summary = pd.DataFrame(
    [
        {"what": "quantity", "value": orders["qty"].sum()},
        {"what": "price", "value": orders["price"].mean()},
    ]
)
summary.to_csv("out/summary.csv", index=False)
totals = pd.DataFrame(columns=["quantity", "price"])
totals.loc[0] = [orders["qty"].sum(), orders["price"].max()]
totals.to_csv("out/totals.csv", index=False)
