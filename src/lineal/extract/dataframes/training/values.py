"""Values of programs that train models: estimators, what they have learnt, and training data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.values import Value


class Data(NamedTuple):
    """Columns that a model is given, and the rows that they belong to."""

    slots: tuple[Slot, ...]
    relation: Relation
    certain: bool = True
    """whether nothing happened to the columns in between that is not known"""


@dataclass(eq=False)
class Estimator:
    """LogisticRegression(), Pipeline([…]), StandardScaler(): it changes when it is fitted."""

    name: str
    params: dict[str, Value] = field(default_factory=dict)
    arguments: tuple[Value, ...] = ()
    state: dict[str, Value] = field(default_factory=dict)
    """model: the dataset that it is; learnt: the lineage of what it learnt, by column"""

    @property
    def model(self) -> str:
        """Return the dataset of the fitted model; empty before it is fitted."""
        held = self.state.get("model", "")
        return held if isinstance(held, str) else ""

    @property
    def learnt(self) -> dict[str, Lineage]:
        """Return what a transformer has learnt of each column."""
        held = self.state.get("learnt", {})
        return held if isinstance(held, dict) else {}


@dataclass(eq=False)
class TrainingSet:
    """xgb.DMatrix(X, label=y), lgb.Dataset(X, label=y)"""

    features: Value
    label: Value = None
    weight: Value = None
