import pandas as pd

customers = pd.read_csv("customers.csv")
adults = customers[customers["age"] >= 18]
adults.to_csv("out/adults.csv", index=False)
