import pandas as pd

log = pd.read_csv("log.csv")
parts = log["url"].str.extract(r"(?P<section>\w+)/(?P<number>\d+)")
log = pd.concat([log, parts], axis=1)
log[["user", "section", "number"]].to_csv("sections.csv", index=False)
