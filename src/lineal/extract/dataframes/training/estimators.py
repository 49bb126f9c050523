"""Facts about the classes of scikit-learn, XGBoost and LightGBM: one row for each."""

from __future__ import annotations

import re

TRANSFORMERS = re.compile(
    r"(Scaler|Encoder|Imputer|Transformer|Vectorizer|Binarizer|Discretizer|Normalizer|Features"
    r"|Selector|Threshold|PCA|SVD|NMF|ICA|SelectKBest|SelectPercentile|RFE|RFECV|SelectFromModel"
    r"|Embedding|TSNE|UMAP|Hasher|Union|Isomap|Agglomeration|Projection)$"
)
"""Classes that transform columns; all others learn a model that predicts."""

ONE_TO_ONE = re.compile(
    r"(Scaler|OrdinalEncoder|OneHotEncoder|LabelEncoder|Imputer|PowerTransformer"
    r"|QuantileTransformer|FunctionTransformer|Binarizer|Discretizer|LabelBinarizer)$"
)
"""Transformers whose columns come from one column each; those of others come from all."""

PIPELINES = frozenset(("Pipeline", "make_pipeline", "FeatureUnion", "make_union"))
COLUMN_TRANSFORMERS = frozenset(("ColumnTransformer", "make_column_transformer"))
WRAPPERS = frozenset(
    """GridSearchCV RandomizedSearchCV HalvingGridSearchCV HalvingRandomSearchCV BayesSearchCV
    CalibratedClassifierCV MultiOutputRegressor MultiOutputClassifier OneVsRestClassifier
    OneVsOneClassifier BaggingClassifier BaggingRegressor TransformedTargetRegressor RFE RFECV
    SelectFromModel AdaBoostClassifier AdaBoostRegressor ClassifierChain RegressorChain
    FixedThresholdClassifier TunedThresholdClassifierCV""".split()  # noqa: SIM905
)
"""Classes that fit the estimator that they are given first."""

WRAPPED = ("estimator", "base_estimator", "regressor")
"""The parameters of a wrapper that hold its estimator."""

PREDICTING = frozenset(
    """predict predict_proba predict_log_proba decision_function score_samples fit_predict
    apply staged_predict inplace_predict""".split()  # noqa: SIM905
)
SAME_OBJECT = frozenset(
    """set_params set_output set_fit_request partial_fit get_booster calibrate set_config
    set_transform_request""".split()  # noqa: SIM905
)
FITTED_ESTIMATOR = frozenset(
    (
        "best_estimator_",
        "booster_",
        "estimator_",
        "named_steps",
        "steps",
        "regressor_",
        "final_estimator_",
    )
)
SAVING = {"save_model": 0, "dump_model": 0}
"""Methods of a model that write it, and where their path is."""


def is_transformer(name: str) -> bool:
    """Tell whether a class transforms columns."""
    return TRANSFORMERS.search(name) is not None and not name.endswith(("Regressor", "Classifier"))


def is_one_to_one(name: str) -> bool:
    """Tell whether each output column of a transformer comes from one column."""
    return ONE_TO_ONE.search(name) is not None
