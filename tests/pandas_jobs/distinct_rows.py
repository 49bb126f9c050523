import pandas as pd

customers = pd.read_csv("customers.csv")
cities = customers[["city", "tier"]].drop_duplicates()
cities.sort_values("city").to_csv("out/cities.csv", index=False)
