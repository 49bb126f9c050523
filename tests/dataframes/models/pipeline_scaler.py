# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

FEATURES = ["age", "income", "visits"]
df = pd.read_csv("customers.csv")
pipe = Pipeline([("scale", StandardScaler()), ("model", Ridge())])
pipe.fit(df[FEATURES], df["spend"])
fresh = pd.read_csv("fresh.csv")
fresh = fresh.assign(predicted=pipe.predict(fresh[FEATURES]))
fresh[["id", "predicted"]].to_csv("predicted.csv", index=False)
