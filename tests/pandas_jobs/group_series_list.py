import pandas as pd

events = pd.read_csv("events.csv")
stats = events.groupby("kind")["value"].agg(["mean", "std", "count"])
stats.to_csv("out/stats.csv")
