import pandas as pd
import xgboost as xgb
train = pd.read_csv("train.csv").dropna(subset=["target"])
model = xgb.XGBRegressor(n_estimators=10)
model.fit(train[["f1", "f2"]], train["target"])
model.save_model("xgb.json")
test = pd.read_csv("test.csv")
test["pred"] = model.predict(test[["f1", "f2"]])
test[["row_id", "pred"]].to_csv("submission.csv", index=False)
