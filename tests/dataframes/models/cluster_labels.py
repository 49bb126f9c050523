# points.csv(id id, x float, y float, w float)
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.preprocessing import MinMaxScaler

df = pd.read_csv("points.csv")
scaled = MinMaxScaler().fit_transform(df[["x", "y", "w"]])
components = PCA(n_components=2, random_state=0).fit_transform(scaled)
df["first"], df["second"] = components[:, 0], components[:, 1]
clusters = KMeans(n_clusters=3, n_init=2, random_state=0).fit(df[["first", "second"]])
df["cluster"] = clusters.labels_
df[["id", "first", "cluster"]].to_csv("clusters.csv", index=False)
