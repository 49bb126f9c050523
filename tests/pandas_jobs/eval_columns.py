import pandas as pd

orders = pd.read_csv("orders.csv")
orders.eval("net = price * qty", inplace=True)
orders = orders.eval("gross = net * 1.2")
orders.query("gross > 50")[["order_id", "gross"]].to_csv("out/gross.csv", index=False)
