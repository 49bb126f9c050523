# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

df = pd.read_csv("customers.csv")
y = df["spend"]
X = df.drop(columns=["id", "region", "spend", "churned"])
forest = RandomForestRegressor(n_estimators=5, random_state=0)
forest.fit(X, y)
fresh = pd.read_csv("fresh.csv")
fresh["guess"] = forest.predict(fresh[["age", "income", "visits"]])
fresh[["id", "guess"]].to_csv("guess.csv", index=False)
