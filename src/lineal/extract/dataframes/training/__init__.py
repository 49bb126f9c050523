"""Programs that train models: scikit-learn, XGBoost and LightGBM.

    values.py        estimators and training data
    estimators.py    what is known of the classes
    data.py          the columns of frames of any library, series and arrays
    models.py        fit, predict and transform

A fitted model is a dataset of kind `ml_model`. Its column `prediction` comes from the features and
the label. What `predict` gives comes from the model and from the columns that it is given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from lineal.extract.dataframes.training.estimators import (
    FITTED_ESTIMATOR,
    PREDICTING,
    SAME_OBJECT,
    SAVING,
)
from lineal.extract.dataframes.training.models import (
    copy_of,
    cross_predict,
    fit,
    fit_predict,
    fit_transform,
    inverse_transform,
    load,
    predict,
    save,
    transform,
)
from lineal.extract.dataframes.training.values import Estimator, TrainingSet
from lineal.extract.pyspark.dispatch import ATTRIBUTES, RECEIVERS
from lineal.extract.pyspark.file_contents import opened_path
from lineal.extract.pyspark.frame_libraries import KNOWN, TRACED, FrameLibrary
from lineal.extract.pyspark.invocation import Invocation, argument_at
from lineal.extract.pyspark.libraries import FAMILIES
from lineal.extract.pyspark.library_functions import LIBRARIES
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Method, Unknown, Value
from lineal.model.sequences import instances

LIBRARY_TITLES = {"sklearn": "scikit-learn", "xgboost": "XGBoost", "lightgbm": "LightGBM"}

ESTIMATOR_METHODS: dict[str, Callable[[Run, Estimator, Invocation], Value]] = {
    "fit": fit,
    "fit_transform": fit_transform,
    "fit_predict": fit_predict,
    "transform": transform,
    "inverse_transform": inverse_transform,
    **dict.fromkeys(PREDICTING - {"fit_predict"}, predict),
    "partial_fit": fit,
}


def call_estimator(run: Run, held: Estimator, name: str, call: Invocation) -> Value:
    """model.fit(X, y), model.predict(X), model.save_model("m.json")"""
    handler = ESTIMATOR_METHODS.get(name)
    if handler is not None:
        return handler(run, held, call)

    if name in SAME_OBJECT:
        return held

    if name in SAVING:
        save(
            run,
            held,
            argument_at(call.arguments, SAVING[name], call.keywords.get("fname")),
            call.node,
        )
        return None

    return Unknown(f"{name}()", "only the data knows")


OF_TRAINING_ROWS = {"labels_": predict, "embedding_": transform}
"""Attributes that hold a value for each row that the estimator was fitted to."""


def of_estimator(run: Run, held: Estimator, name: str, node: ast.AST) -> Value:
    """search.best_estimator_, model.feature_importances_"""
    if name in FITTED_ESTIMATOR:
        return held

    if name in OF_TRAINING_ROWS and "fitted" in held.state:
        return OF_TRAINING_ROWS[name](run, held, Invocation([held.state["fitted"]], {}, node))

    if name.endswith("_"):
        return Unknown(name, "learnt from the data")

    return Method(held, name)


def make_estimator(run: Run, member: re.Match[str], call: Invocation) -> Value:
    """LogisticRegression(C=1.0), make_pipeline(StandardScaler(), SVC())"""
    return Estimator(member[1], dict(call.keywords), tuple(call.arguments))


def split(run: Run, call: Invocation) -> Value:
    """train_test_split(X, y, test_size=0.2)      two of each, with the same columns"""
    return [copy_of(each) for each in call.arguments for _ in range(2)]


def training_set(run: Run, call: Invocation) -> Value:
    """xgb.DMatrix(X, label=y), lgb.Dataset(X, label=y)"""
    return TrainingSet(
        call.argument(0, "data"),
        call.argument(1, "label"),
        call.keywords.get("weight"),
    )


def train(run: Run, call: Invocation) -> Value:
    """xgb.train(params, dtrain), lgb.train(params, train_set)"""
    held = Estimator("Booster")
    given = instances((*call.arguments, *call.keywords.values()), TrainingSet)
    return fit(run, held, call.with_arguments(given[:1] or call.arguments[1:2], {}))


def dump(run: Run, call: Invocation) -> Value:
    """joblib.dump(model, "churn.pkl"), mlflow.sklearn.log_model(model, "churn")"""
    held = argument_at(call.arguments, 0, call.keywords.get("value", call.keywords.get("sk_model")))
    path = argument_at(
        call.arguments, 1, call.keywords.get("filename", call.keywords.get("artifact_path"))
    )
    registered = call.keywords.get("registered_model_name", path)
    if isinstance(held, Estimator) and isinstance(opened_path(registered), str):
        save(run, held, opened_path(registered), call.node)

    return None


def load_model(run: Run, call: Invocation) -> Value:
    """joblib.load("churn.pkl")"""
    return load(run, argument_at(call.arguments, 0, call.keywords.get("filename")), call.node)


def clone(run: Run, call: Invocation) -> Value:
    """sklearn.base.clone(model)"""
    held = argument_at(call.arguments)
    if not isinstance(held, Estimator):
        return held

    return Estimator(held.name, dict(held.params), held.arguments)


def register() -> None:
    """Enter the rows of the learning libraries in the tables of the interpreter."""
    for module, title in LIBRARY_TITLES.items():
        TRACED[module] = FrameLibrary(module, title)

    RECEIVERS[Estimator] = call_estimator
    ATTRIBUTES[Estimator] = of_estimator
    LIBRARIES.update({
        "sklearn.model_selection.train_test_split": split,
        "sklearn.model_selection.cross_val_predict": cross_predict,
        "sklearn.base.clone": clone,
        **dict.fromkeys(("xgboost.DMatrix", "xgboost.QuantileDMatrix", "lightgbm.Dataset"), training_set),
        **dict.fromkeys(("xgboost.train", "lightgbm.train"), train),
        **dict.fromkeys(("joblib.dump", "pickle.dump", "mlflow.sklearn.log_model",
                         "mlflow.xgboost.log_model", "mlflow.lightgbm.log_model",
                         "mlflow.sklearn.save_model"), dump),
        **dict.fromkeys(("joblib.load", "mlflow.sklearn.load_model"), load_model),
    })  # fmt: skip
    KNOWN["scikit-learn, XGBoost, LightGBM"] = {
        "estimators": frozenset((*ESTIMATOR_METHODS, *SAME_OBJECT, *SAVING)),
        "functions": frozenset(("train_test_split", "cross_val_predict", "clone", "DMatrix",
                      "QuantileDMatrix", "Dataset", "train", "joblib.dump", "joblib.load",
                      "pickle.dump", "mlflow.sklearn.log_model")),
    }  # fmt: skip
    FAMILIES.extend((
        (re.compile(r"^(?:sklearn|xgboost|lightgbm|imblearn)(?:\.\w+)*\.([A-Z]\w*)$"), make_estimator),
        (re.compile(r"^(?:sklearn|imblearn)(?:\.\w+)*\.(make_(?:pipeline|union|column_transformer))$"), make_estimator),
    ))  # fmt: skip


register()
