"""The stages of pyspark.ml: which of their parameters name columns that they read and append."""

from __future__ import annotations

from typing import NamedTuple


class Stage(NamedTuple):
    """A class of pyspark.ml: parameters that name its input and output columns, with defaults."""

    inputs: tuple[str, ...]
    """the columns that `transform` reads"""
    outputs: tuple[tuple[str, str], ...]
    """the columns that `transform` appends: the parameter, and the name if it is not set"""
    learns: bool = False
    """whether `fit` makes a model of the inputs"""
    trained_on: tuple[str, ...] = ()
    """the columns that only `fit` reads: the label, weights"""


PLURALS = {"inputCol": "inputCols", "outputCol": "outputCols"}
"""Parameters of one column, and those of several in the same place."""

DEFAULTS = {
    "featuresCol": "features", "labelCol": "label", "itemsCol": "items", "userCol": "user",
    "itemCol": "item", "ratingCol": "rating", "censorCol": "censor",
}  # fmt: skip
"""The columns that stages read if nothing else is said."""

ONE_TO_ONE = Stage(("inputCol",), (("outputCol", ""),))
FITTED = Stage(("inputCol",), (("outputCol", ""),), True)
SELECTOR = Stage(("featuresCol",), (("outputCol", ""),), True, ("labelCol",))
PREDICTION = (("predictionCol", "prediction"),)
TRAINED_ON = ("labelCol", "weightCol", "censorCol")
REGRESSOR = Stage(("featuresCol",), PREDICTION, True, TRAINED_ON)
CLASSIFIER = Stage(
    ("featuresCol",),
    (("rawPredictionCol", "rawPrediction"), ("probabilityCol", "probability"), *PREDICTION),
    True,
    TRAINED_ON,
)
MARGIN_CLASSIFIER = Stage(
    ("featuresCol",), (("rawPredictionCol", "rawPrediction"), *PREDICTION), True, TRAINED_ON
)
CLUSTERS = Stage(("featuresCol",), PREDICTION, True, ("weightCol",))

STAGES: dict[str, Stage] = {
    **dict.fromkeys(
        """Tokenizer RegexTokenizer StopWordsRemover NGram HashingTF Binarizer Bucketizer DCT
        PolynomialExpansion Normalizer ElementwiseProduct VectorSlicer IndexToString VectorAssembler
        FeatureHasher Interaction""".split(),  # noqa: SIM905
        ONE_TO_ONE,
    ),
    **dict.fromkeys(
        """StringIndexer OneHotEncoder OneHotEncoderEstimator StandardScaler MinMaxScaler MaxAbsScaler
        RobustScaler Imputer IDF CountVectorizer Word2Vec PCA QuantileDiscretizer VectorIndexer
        BucketedRandomProjectionLSH MinHashLSH TargetEncoder""".split(),  # noqa: SIM905
        FITTED,
    ),
    **dict.fromkeys(("ChiSqSelector", "UnivariateFeatureSelector"), SELECTOR),
    "VarianceThresholdSelector": Stage(("featuresCol",), (("outputCol", ""),), True),
    **dict.fromkeys(
        """LogisticRegression DecisionTreeClassifier RandomForestClassifier GBTClassifier NaiveBayes
        MultilayerPerceptronClassifier FMClassifier""".split(),  # noqa: SIM905
        CLASSIFIER,
    ),
    **dict.fromkeys(("LinearSVC", "OneVsRest"), MARGIN_CLASSIFIER),
    **dict.fromkeys(
        """LinearRegression GeneralizedLinearRegression DecisionTreeRegressor RandomForestRegressor
        GBTRegressor FMRegressor IsotonicRegression AFTSurvivalRegression""".split(),  # noqa: SIM905
        REGRESSOR,
    ),
    **dict.fromkeys(("KMeans", "BisectingKMeans"), CLUSTERS),
    "GaussianMixture": Stage(
        ("featuresCol",), (("probabilityCol", "probability"), *PREDICTION), True, ("weightCol",)
    ),
    "LDA": Stage(("featuresCol",), (("topicDistributionCol", "topicDistribution"),), True),
    "ALS": Stage(("userCol", "itemCol"), PREDICTION, True, ("ratingCol",)),
    "FPGrowth": Stage(("itemsCol",), PREDICTION, True),
    "RFormula": Stage((), (("featuresCol", "features"), ("labelCol", "label")), True),
}
"""The stages by the name of their class; a model has the columns of the estimator that it is of."""

TUNERS = frozenset(("CrossValidator", "TrainValidationSplit"))
"""Estimators that fit another estimator."""

OPTIONAL = frozenset(("weightCol", "censorCol"))
"""Columns that are read only if they are named."""


MODEL_NAMES = (
    ("Model", ""),
    ("ClassificationModel", "Classifier"),
    ("RegressionModel", "Regressor"),
)
"""How the class of a model ends, and its estimator's: RandomForestClassifier, …ClassificationModel."""


def stage_named(name: str) -> Stage | None:
    """LogisticRegression, LogisticRegressionModel      Return the stage of a class."""
    trained = [name.removesuffix(old) + new for old, new in MODEL_NAMES if name.endswith(old)]
    return next((STAGES[each] for each in (name, *trained) if each in STAGES), None)
