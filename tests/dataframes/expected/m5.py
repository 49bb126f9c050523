import pandas as pd
import lightgbm as lgb
df = pd.read_csv("clicks.csv")
df["ctr"] = df["clicks"] / df["views"]
dset = lgb.Dataset(df[["hour", "device"]], label=df["ctr"])
bst = lgb.train({"objective": "regression"}, dset)
bst.save_model("ctr.txt")
