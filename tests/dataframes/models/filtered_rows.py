# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.linear_model import LinearRegression

df = pd.read_csv("customers.csv")
known = df[df["churned"] == 1]
model = LinearRegression()
model.fit(known[["age"]], known["spend"])
fresh = pd.read_csv("fresh.csv")
fresh["spend"] = model.predict(fresh[["age"]])
fresh[["id", "spend"]].to_csv("loyal.csv", index=False)
