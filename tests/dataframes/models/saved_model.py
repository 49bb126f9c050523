# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
import joblib
from sklearn.linear_model import LinearRegression

df = pd.read_csv("customers.csv")
model = LinearRegression()
model.fit(df[["age", "visits"]], df["spend"])
joblib.dump(model, "spend.joblib")
again = joblib.load("spend.joblib")
fresh = pd.read_csv("fresh.csv")
fresh["spend"] = again.predict(fresh[["age", "visits"]])
fresh[["id", "spend"]].to_csv("loaded.csv", index=False)
