import pandas as pd

events = pd.read_csv("events.csv")
grid = events.groupby(["user_id", "kind"])["value"].sum().unstack(fill_value=0)
grid.to_csv("out/grid.csv")
