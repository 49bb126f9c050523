"""The presets of `lineal pipeline`: the query histories of warehouses, by name."""

from __future__ import annotations

from lineal.projects.logs.histories import HISTORIES, History
from lineal.spark.pipeline.errors import BulkError


def preset_of(name: str | None) -> History | None:
    """Return the history that a preset names."""
    if name is None:
        return None

    if name not in HISTORIES:
        raise BulkError(f"no preset {name}: choose one of {', '.join(HISTORIES)}")

    return HISTORIES[name]
