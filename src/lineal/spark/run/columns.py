"""The columns of a DataFrame by their keys: names without regard to case."""

from __future__ import annotations

from typing import Any

from lineal.spark.run.jobs import key_of


def types_by_key(frame: Any) -> dict[str, Any]:
    """Return the types of the columns of a DataFrame."""
    return {key_of(field.name): field.dataType for field in frame.schema.fields}


def columns_by_key(frame: Any) -> dict[str, str]:
    """Return the columns of a DataFrame as it spells them."""
    return {key_of(name): name for name in frame.columns}
