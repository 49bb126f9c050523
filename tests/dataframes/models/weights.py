# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.linear_model import LinearRegression

df = pd.read_csv("customers.csv")
model = LinearRegression()
model.fit(df[["age"]], df["spend"], sample_weight=df["visits"])
fresh = pd.read_csv("fresh.csv")
fresh["spend"] = model.predict(fresh[["age"]])
fresh[["id", "spend"]].to_csv("weighted.csv", index=False)
