import pandas as pd

orders = pd.read_csv("orders.csv", usecols=["order_id", "qty", "price"])
long = orders.melt(id_vars=["order_id"], value_vars=["qty", "price"], var_name="measure", value_name="amount")
long.to_csv("out/long.csv", index=False)
