# people.csv(id id, age maybe, height maybe, weight float)
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression

df = pd.read_csv("people.csv")
filled = SimpleImputer().fit_transform(df[["age", "height"]])
model = LinearRegression().fit(filled, df["weight"])
df["guess"] = model.predict(filled)
df[["id", "guess"]].to_csv("weights.csv", index=False)
