# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from xgboost import XGBRegressor

df = pd.read_csv("customers.csv")
model = XGBRegressor(n_estimators=5, max_depth=3, min_child_weight=0)
model.fit(df[["age", "income"]], df["spend"])
fresh = pd.read_csv("fresh.csv")
fresh["spend"] = model.predict(fresh[["age", "income"]])
fresh[["id", "spend"]].to_csv("boosted.csv", index=False)
