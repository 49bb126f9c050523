import pandas as pd
from sklearn.preprocessing import StandardScaler
from sklearn.cluster import KMeans
df = pd.read_csv("c.csv", usecols=["id", "rec", "freq"])
scaled = StandardScaler().fit_transform(df[["rec", "freq"]])
km = KMeans(n_clusters=4)
df["segment"] = km.fit_predict(scaled)
df[["id", "segment"]].to_csv("segments.csv", index=False)
