import pandas as pd
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV, train_test_split
import pickle
df = pd.read_csv("homes.csv")
df["age"] = df["year_sold"] - df["year_built"]
feature_cols = ["sqft", "age"]
X_tr, X_te, y_tr, y_te = train_test_split(df[feature_cols], df["price"], test_size=0.2)
gs = GridSearchCV(Lasso(), {"alpha": [0.1, 1]}, cv=3).fit(X_tr, y_tr)
best = gs.best_estimator_
print(best.score(X_te, y_te))
