# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.preprocessing import StandardScaler

df = pd.read_csv("customers.csv")
scaler = StandardScaler()
scaler.fit(df[["age", "income"]])
fresh = pd.read_csv("fresh.csv")
scaled = pd.DataFrame(scaler.transform(fresh[["age", "income"]]), columns=["age_z", "income_z"])
scaled.to_csv("scaled.csv", index=False)
