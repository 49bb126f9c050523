import pandas as pd

customers = pd.read_csv("customers.csv")
factors = {"gold": 0.8, "silver": 0.9, "basic": 1.0}
customers["factor"] = customers["tier"].map(factors)
customers["code"] = customers["city"].replace({"Bonn": "BN", "Oslo": "OS"})
customers[["name", "factor", "code"]].to_csv("out/factors.csv", index=False)
