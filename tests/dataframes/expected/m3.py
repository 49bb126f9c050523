import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
FEATURES = ["a", "b"]
def train(path):
    data = pd.read_csv(path)
    pipe = make_pipeline(StandardScaler(), SVC())
    pipe.fit(data[FEATURES], data["label"])
    return pipe
model = train("iris.csv")
