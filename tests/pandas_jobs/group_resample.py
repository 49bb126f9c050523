from pathlib import Path

import pandas as pd

OUT = Path(".") / "out"

orders = pd.read_csv("orders.csv", parse_dates=["order_date"])
weekly = orders.set_index("order_date").groupby("status")["qty"].resample("30D").sum().reset_index()
weekly.to_csv(OUT / "periods.csv", index=False)
