import pandas as pd

events = pd.read_csv("events.csv")
counts = events.groupby(["kind", "user_id"]).size().reset_index(name="n")
counts = counts[counts["n"] > 1]
counts.to_csv("out/counts.csv", index=False)
