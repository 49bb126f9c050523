import pandas as pd

log = pd.read_csv("log.csv")
stats = log.groupby("device").humidity.agg(["mean", "max"])
log.join(stats, on="device")[["device", "mean"]].to_csv("joined.csv", index=False)
old = pd.read_csv("old.csv", usecols=["id", "price"]).set_index("id")
new = pd.read_csv("new.csv", usecols=["id", "price"]).set_index("id")
both = old.join(new, how="outer", rsuffix="_new")
both.reset_index().to_csv("both.csv", index=False)
