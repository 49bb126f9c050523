import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
df = pd.read_csv("titanic.csv")
num, cat = ["age", "fare"], ["sex", "embarked"]
pre = ColumnTransformer(transformers=[
    ("num", Pipeline([("imp", SimpleImputer()), ("sc", StandardScaler())]), num),
    ("cat", OneHotEncoder(handle_unknown="ignore"), cat),
])
clf = Pipeline(steps=[("pre", pre), ("lr", LogisticRegression())])
clf.fit(df.drop("survived", axis=1), df["survived"])
