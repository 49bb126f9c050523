"""The folders that a stream keeps next to its tables."""

from __future__ import annotations

from collections.abc import Collection

HISTORY = "_history"
CHECKPOINT = "_stream"


def is_stream(names: Collection[str]) -> bool:
    """Tell whether a folder with these names in it is the output of a stream."""
    return HISTORY in names
