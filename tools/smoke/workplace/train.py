import joblib
import pandas as pd
from sklearn.linear_model import LogisticRegression

customers = pd.read_csv("customers.csv")
model = LogisticRegression()
model.fit(customers[["age", "income"]], customers["churned"])
joblib.dump(model, "churn.pkl")

new = pd.read_csv("new.csv")
new["score"] = model.predict(new[["age", "income"]])
new[["id", "score"]].to_csv("scored.csv", index=False)
