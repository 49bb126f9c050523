# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.linear_model import LogisticRegression

df = pd.read_csv("customers.csv")
model = LogisticRegression(max_iter=200)
model.fit(df[["age", "income"]], df["churned"])
fresh = pd.read_csv("fresh.csv")
fresh["score"] = model.predict_proba(fresh[["age", "income"]])[:, 1]
fresh[["id", "score"]].to_csv("scored.csv", index=False)
