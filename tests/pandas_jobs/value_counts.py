import pandas as pd

customers = pd.read_csv("customers.csv")
counts = customers["city"].value_counts().reset_index()
counts.columns = ["city", "people"]
counts.to_csv("out/city_counts.csv", index=False)
