"""AWS Glue: DynamicFrames, as the DataFrames that they are."""

from __future__ import annotations

from typing import Any

from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Unknown, Value
from lineal.model.way import Confidence


def glue_call(run: Run, name: str, arguments: list[Value], keywords: dict[str, Value], node: Any) -> Value:
    return Unknown(f"{name.rsplit('.', 1)[-1]}()", f"{name} is not followed", Confidence.LOW)
