"""Facts without columns of their own in the tables, as JSON: the forms of the saved file, with
names and files in full.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lineal.model.edge import Dataset
from lineal.model.extraction import DatasetInfo
from lineal.model.job import Job
from lineal.store.saved import _Reader, _Writer

STANDING = ("name", "kind", "complete", "description", "place", "columns")
"""The parts of a dataset that are columns of the tables."""

_json: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


class _Full(dict[Any, Any]):
    """A name's number is the name."""

    def __missing__(self, name: object) -> Any:
        return name


class _Named(_Full):
    def __getitem__(self, name: Any) -> Dataset:
        space, said = name
        return Dataset(space, said)


_writer = _Writer()
_writer.files = _Full()  # type: ignore[assignment]
_writer.names = _Full()  # type: ignore[assignment]
_reader = _Reader({"files": (), "names": ()})
_reader.files = _Full()  # type: ignore[assignment]
_reader.names = _Named()  # type: ignore[assignment]


def job_out(job: Job) -> str:
    """Write a job as JSON."""
    return _json(_writer.job(job))


def job_in(text: str) -> Job:
    """Read a job from JSON."""
    return _reader.job(json.loads(text))


def rest_of(info: DatasetInfo) -> str | None:
    """Return all other facts about a dataset, as JSON."""
    rest = {name: value for name, value in _writer.dataset(info).items() if name not in STANDING}
    if info.exact:
        rest["exact"] = True

    if rest:
        return _json(rest)

    return None


def add_rest(info: DatasetInfo, text: str | None) -> DatasetInfo:
    """Add the rarer facts of a dataset, which are saved as JSON."""
    if text is None:
        return info

    rest = json.loads(text)
    whole = _reader.dataset({"name": info.dataset, "kind": info.kind, **rest})
    info.declared, info.produced, info.terminal = whole.declared, whole.produced, whole.terminal
    info.exact = bool(rest.get("exact"))
    return info
