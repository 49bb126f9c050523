import pandas as pd

events = pd.read_csv("events.csv", parse_dates=["day"])
events = events.sort_values("day")
events["running"] = events.groupby("user_id")["value"].cumsum()
events["previous"] = events.groupby("user_id")["value"].shift(1)
events["change"] = events["value"] - events["previous"]
events[["user_id", "running", "change"]].to_csv("out/running.csv", index=False)
