"""Files that a program opens itself: the dataset of their path."""

from __future__ import annotations

from jobbook import facts_in
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script


def facts(text: str) -> set[str]:
    return facts_in(extract(Corpus("spark", [Script(text, "python", "job.py")])))


def test_models_and_frames_are_written_to_the_path_of_a_handle():
    found = facts("""
import pickle
import pandas as pd
from sklearn.linear_model import LinearRegression
with open("a.csv") as f:
    df = pd.read_csv(f)
m = LinearRegression().fit(df[["x"]], df["y"])
pickle.dump(m, open("m.pkl", "wb"))
k = LinearRegression()
k.fit(df[["x"]], df["z"])
with open("k.pkl", "wb") as handle:
    pickle.dump(k, handle)
with open("o.csv", "w") as out:
    df[["x", "y"]].to_csv(out, index=False)
""")
    assert found == {
        "a.csv.x -> k.pkl.prediction AGGREGATION",
        "a.csv.x -> m.pkl.prediction AGGREGATION",
        "a.csv.x -> o.csv.x IDENTITY",
        "a.csv.y -> m.pkl.prediction AGGREGATION",
        "a.csv.y -> o.csv.y IDENTITY",
        "a.csv.z -> k.pkl.prediction AGGREGATION",
    }


def test_a_model_that_a_function_returns_is_saved_from_its_own_name():
    found = facts("""
import pickle
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
def train(df):
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2, 3]})
    search.fit(df[["x"]], df["y"])
    return search.best_estimator_
best = train(pd.read_csv("a.csv"))
with open("best.pkl", "wb") as file:
    pickle.dump(best, file)
""")
    assert found == {
        "a.csv.x -> job.py::search.prediction AGGREGATION",
        "a.csv.y -> job.py::search.prediction AGGREGATION",
        "job.py::search.prediction -> best.pkl.prediction IDENTITY",
    }
