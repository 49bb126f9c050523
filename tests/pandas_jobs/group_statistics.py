import pandas as pd

events = pd.read_csv("events.csv")
events.groupby("kind")["value"].describe().to_csv("out/statistics.csv")
events.groupby("kind")["page"].value_counts().reset_index(name="n").to_csv("out/pages.csv", index=False)
events.agg({"value": "sum", "user_id": "max"}).to_frame("figure").to_csv("out/figures.csv")
events["near"] = events["value"].rolling(4).corr(events["user_id"])
events[["near"]].to_csv("out/near.csv", index=False)
spread = events.groupby("kind")["value"].quantile([0.25, 0.75]).unstack()
spread.columns = ["low", "high"]
spread.to_csv("out/spread.csv")
