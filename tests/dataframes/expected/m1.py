import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
import joblib
df = pd.read_parquet("loans.parquet")
X = df[["income", "debt", "age"]]
y = df["defaulted"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
clf = RandomForestClassifier()
clf.fit(X_train, y_train)
joblib.dump(clf, "models/loans.joblib")
