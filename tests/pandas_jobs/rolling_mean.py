import pandas as pd

events = pd.read_csv("events.csv").sort_values("day")
events["smooth"] = events["value"].rolling(3, min_periods=1).mean()
events["best"] = events["value"].expanding().max()
events[["day", "smooth", "best"]].to_csv("out/smooth.csv", index=False)
