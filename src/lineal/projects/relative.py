"""A corpus whose files are named from its own folder, wherever that folder is."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus, Script

Rename = Callable[[str], str]


def relative(corpus: Corpus, root: str | os.PathLike[str], shown: str = "") -> Corpus:
    """The same corpus, with `shown` in the place of the root in the names of its files."""
    inside, shorter = os.fspath(root).rstrip("/") + "/", shown.rstrip("/") + "/" if shown else ""

    def renamed(file: str) -> str:
        return shorter + file[len(inside) :] if file.startswith(inside) else file

    return replace(
        corpus,
        scripts=[_script(script, renamed) for script in corpus.scripts],
        functions=[replace(each, body=_script(each.body, renamed)) for each in corpus.functions],
        datasets=[_dataset(info, renamed) for info in corpus.datasets],
        diagnostics=[_diagnostic(found, renamed, os.fspath(root), shown) for found in corpus.diagnostics],
        meanings=[replace(each, place=_place(each.place, renamed)) for each in corpus.meanings],
    )


def _script(script: Script, renamed: Rename) -> Script:
    return replace(script, file=renamed(script.file))


def _place(place: Place | None, renamed: Rename) -> Place | None:
    return place._replace(file=renamed(place.file)) if place is not None else None


def _dataset(info: DatasetInfo, renamed: Rename) -> DatasetInfo:
    if info.place is None and not any(column.place for column in info.columns):
        return info
    return replace(info, place=_place(info.place, renamed), columns=[_column(each, renamed) for each in info.columns])


def _column(column: ColumnInfo, renamed: Rename) -> ColumnInfo:
    return column._replace(place=_place(column.place, renamed))


def _diagnostic(found: Diagnostic, renamed: Rename, root: str, shown: str) -> Diagnostic:
    message = found.message.replace(root, shown or Path(root).name)
    return found._replace(place=_place(found.place, renamed), message=message)
