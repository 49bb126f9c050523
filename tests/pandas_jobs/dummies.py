import pandas as pd

customers = pd.read_csv("customers.csv", usecols=["customer_id", "tier", "age"])
wide = pd.get_dummies(customers, columns=["tier"])
wide.to_csv("out/dummies.csv", index=False)
