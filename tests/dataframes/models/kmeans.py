# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
import pandas as pd
from sklearn.cluster import KMeans

df = pd.read_csv("customers.csv")
df["cluster"] = KMeans(n_clusters=3, random_state=0, n_init=1).fit_predict(df[["age", "spend"]])
df[["id", "cluster"]].to_csv("clusters.csv", index=False)
