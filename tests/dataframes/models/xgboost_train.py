# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
import xgboost as xgb

df = pd.read_csv("customers.csv")
train = xgb.DMatrix(df[["age", "visits"]], label=df["spend"])
booster = xgb.train({"max_depth": 3, "min_child_weight": 0}, train, num_boost_round=5)
fresh = pd.read_csv("fresh.csv")
fresh["spend"] = booster.predict(xgb.DMatrix(fresh[["age", "visits"]]))
fresh[["id", "spend"]].to_csv("booster.csv", index=False)
