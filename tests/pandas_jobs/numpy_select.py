import numpy as np
import pandas as pd

customers = pd.read_csv("customers.csv")
conditions = [customers["age"] < 20, customers["age"] < 40]
customers["generation"] = np.select(conditions, ["young", "middle"], default="old")
customers["tax"] = np.select([customers["city"] == "Bonn"], [customers["age"] * 2], default=0)
customers[["name", "generation", "tax"]].to_csv("out/generation.csv", index=False)
