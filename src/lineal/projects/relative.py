"""A corpus whose files are named from its own folder, wherever that folder and the
working directory are.

lineal store load shop                models/orders.sql
cd shop && lineal store load .        models/orders.sql
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.edge import Edge, Read, Site, Usage
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.ledger import Coverage, FileLedger
from lineal.model.script import Corpus, PlainModels, Script

HERE = "."
Rename = Callable[[str], str]


def relative(corpus: Corpus, root: str | os.PathLike[str], shown: str = "") -> Corpus:
    """The same corpus, with `shown` in the place of the root in the names of its files."""
    inside, shorter = os.fspath(root).rstrip("/") + "/", shown.rstrip("/") + "/" if shown else ""

    def rename(file: str) -> str:
        """Return a file by its new path."""
        if file.startswith(inside):
            return shorter + file[len(inside) :]

        return file

    def reword(message: str) -> str:
        """Return a message with the new paths."""
        return message.replace(os.fspath(root), shown or Path(root).name)

    return with_files(corpus, rename, reword)


# -- from the root of a project --------------------------------------------------------------------


class Root(NamedTuple):
    """The folder that the files of an input are named from."""

    folder: str
    """as their names begin now"""
    prefix: str = HERE
    """the start of their new names: the folder's place below that of several inputs"""

    def name(self, file: str) -> str:
        """Return the name of a file; a name that is not a file of the input stays as it is."""
        if not file or "://" in file:
            return file

        inside = self.inside(file)
        if inside is None:
            return file

        return Path(self.prefix, inside).as_posix()

    def inside(self, file: str) -> str | None:
        """Return the path of a file relative to the folder; None if there is no such file."""
        if file.startswith(f"{self.folder}{os.sep}"):
            return file[len(self.folder) + 1 :]

        if _exists(file):
            return os.path.relpath(file, self.folder)

        return None

    def reword(self, message: str) -> str:
        """A message that names files of the folder."""
        if self.folder == HERE:
            return message

        return message.replace(f"{self.folder}{os.sep}", "")


def roots(paths: Iterable[str]) -> dict[str, Root]:
    """The root of each path that is a file or folder; several are named from the folder that all of
    them are in.
    """
    found = {path: root_of(Path(path)) for path in paths if "://" not in path and _exists(path)}
    if not found:
        return {}

    common = os.path.commonpath([folder.resolve() for folder in found.values()])
    return {
        path: Root(str(folder), os.path.relpath(folder.resolve(), common))
        for path, folder in found.items()
    }


def root_of(path: Path) -> Path:
    """The folder of the project that a path is or belongs to: that of target/manifest.json is above
    target.
    """
    from lineal.projects import dbt

    if dbt.matches(path):
        return dbt.root_of(path)

    if path.is_dir():
        return path

    return path.parent


def name_from_root(corpus: Corpus, root: Root) -> Corpus:
    """The same corpus, with its files named from the root."""
    return with_files(corpus, root.name, root.reword)


def _exists(file: str) -> bool:
    """Tell whether a file exists."""
    try:
        return Path(file).exists()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


# -- files under other names -----------------------------------------------------------------------


def with_files(corpus: Corpus, rename: Rename, reword: Rename) -> Corpus:
    """The same corpus, with other names for its files, and messages that say so."""
    return replace(
        corpus,
        scripts=[_script(script, rename) for script in corpus.scripts],
        functions=[replace(each, body=_script(each.body, rename)) for each in corpus.functions],
        datasets=[_dataset(info, rename) for info in corpus.datasets],
        diagnostics=[_diagnostic(found, rename, reword) for found in corpus.diagnostics],
        meanings=[replace(each, place=_place(each.place, rename)) for each in corpus.meanings],
        occurrences=[
            each._replace(place=_rename_place(each.place, rename)) for each in corpus.occurrences
        ],
        given=[_relative_extraction(each, rename, reword) for each in corpus.given],
        files=_ledger(corpus.files, rename),
        plain_models=_plain_models(corpus.plain_models, rename),
    )


def _plain_models(plain: PlainModels | None, rename: Rename) -> PlainModels | None:
    """Return plain models with their files renamed."""
    if plain is None:
        return None

    return replace(plain, models={rename(file): each for file, each in plain.models.items()})


def _ledger(files: FileLedger, rename: Rename) -> FileLedger:
    """Return a ledger with its files renamed."""
    return FileLedger(
        {rename(file): reason for file, reason in files.due_files.items()},
        files.passed_over,
        {reason: list(map(rename, names)) for reason, names in files.examples.items()},
    )


def _script(script: Script, rename: Rename) -> Script:
    """Return a script with its file renamed."""
    return replace(script, file=rename(script.file))


def _place(place: Place | None, rename: Rename) -> Place | None:
    """Return a place with its file renamed; None stays None."""
    if place is not None:
        return _rename_place(place, rename)

    return None


def _rename_place(place: Place, rename: Rename) -> Place:
    """Return a place with its file renamed."""
    return place._replace(file=rename(place.file))


def _dataset(info: DatasetInfo, rename: Rename) -> DatasetInfo:
    """Return a dataset with its places renamed."""
    if info.place is None and not any(column.place for column in info.columns):
        return info

    return replace(
        info,
        place=_place(info.place, rename),
        columns=[_column(each, rename) for each in info.columns],
        declared=None
        if info.declared is None
        else [_column(each, rename) for each in info.declared],
        produced=None
        if info.produced is None
        else [_column(each, rename) for each in info.produced],
    )


def _column(column: ColumnInfo, rename: Rename) -> ColumnInfo:
    """Return a column with its place renamed."""
    if column.place is not None:
        return column._replace(place=_place(column.place, rename))

    return column


def _diagnostic(found: Diagnostic, rename: Rename, reword: Rename) -> Diagnostic:
    """Return a diagnostic with its place and message renamed."""
    return found._replace(place=_place(found.place, rename), message=reword(found.message))


def _relative_extraction(found: Extraction, rename: Rename, reword: Rename) -> Extraction:
    """Return the facts that an input reports itself: exposures of a project, events."""
    return Extraction(
        [_edge(edge, rename) for edge in found.edges],
        [_read(read, rename) for read in found.reads],
        {dataset: _dataset(info, rename) for dataset, info in found.datasets.items()},
        [_diagnostic(each, rename, reword) for each in found.diagnostics],
        _coverage(found.coverage, rename),
        [each._replace(place=_rename_place(each.place, rename)) for each in found.occurrences],
        [each._replace(place=_place(each.place, rename)) for each in found.statements],
        [replace(each, place=_place(each.place, rename)) for each in found.jobs],
    )


def _coverage(found: Coverage, rename: Rename) -> Coverage:
    """Return coverage with its example files renamed."""
    files = found.files.copy()
    files.examples = {key: list(map(rename, names)) for key, names in files.examples.items()}
    return Coverage(files, found.statements, found.columns)


def _edge(edge: Edge, rename: Rename) -> Edge:
    """Return an edge with its places renamed."""
    return edge._replace(usages=tuple(_usage(usage, rename) for usage in edge.usages))


def _usage(usage: Usage, rename: Rename) -> Usage:
    """Return a usage with its place renamed."""
    site = Site(_place(usage.place, rename), usage.expression, usage.path, usage.reader.level)
    return usage._replace(trail=None, reader=site)


def _read(read: Read, rename: Rename) -> Read:
    """Return a read with its place renamed."""
    return read._replace(place=_place(read.place, rename))
