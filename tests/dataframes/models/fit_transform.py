# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
import pandas as pd
from sklearn.preprocessing import MinMaxScaler

df = pd.read_csv("customers.csv")
df[["age", "visits"]] = MinMaxScaler().fit_transform(df[["age", "visits"]])
df[["id", "age", "visits"]].to_csv("unit.csv", index=False)
