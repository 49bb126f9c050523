# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
import pandas as pd
from sklearn.decomposition import PCA

df = pd.read_csv("customers.csv")
parts = PCA(n_components=1, random_state=0).fit_transform(df[["age", "income", "spend"]])
out = pd.DataFrame(parts, columns=["first"])
out.to_csv("parts.csv", index=False)
