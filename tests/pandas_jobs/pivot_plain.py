import pandas as pd

orders = pd.read_csv("orders.csv")
by_tier = orders.pivot_table(index=["status"], values=["price", "qty"], aggfunc={"price": "mean", "qty": "sum"})
by_tier.to_csv("out/by_status.csv")
