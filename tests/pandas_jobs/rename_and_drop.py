import pandas as pd

df = pd.read_csv("products.csv")
df.rename(columns={"title": "name", "cost": "unit_cost"}, inplace=True)
df.drop(columns=["tags"], inplace=True)
df["margin"] = df["unit_cost"] * 0.3
df.to_csv("out/products.csv", index=False)
