import pandas as pd
import joblib
model = joblib.load("models/churn.pkl")
batch = pd.read_csv("batch.csv")
out = batch[["customer_id"]].copy()
out["score"] = model.predict_proba(batch[["tenure", "plan"]])[:, 1]
out.to_parquet("scores.parquet")
from sklearn.metrics import roc_auc_score
