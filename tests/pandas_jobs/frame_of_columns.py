import pandas as pd

orders = pd.read_csv("orders.csv")
report = pd.DataFrame({
    "id": orders["order_id"],
    "value": orders["price"] * orders["qty"],
    "kind": "order",
})
report.to_csv("out/built.csv", index=False)
