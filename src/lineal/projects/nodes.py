"""Nodes: the folders below `nodes/`, each with its YAML and its SQL, Python or CSV side by
side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lineal.extract.pyspark.forms import Kind, form_of
from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects import yaml
from lineal.projects.intake import walk
from lineal.projects.text import Report, peek_text, start_of
from lineal.projects.yaml import Value

YAML_SUFFIXES = (".yml", ".yaml")

CONTENTS = (".sql", ".py", ".csv")
"""The files that a node may have in addition to its YAML."""

KINDS = {
    "sql": "sql",
    "model": "sql",
    "models": "sql",
    "seed": "seed",
    "seeds": "seed",
    "source": "source",
    "sources": "source",
    "function": "function",
    "functions": "function",
    "python": "python",
}


@dataclass(frozen=True)
class Node:
    """One node: what its YAML says, and the files next to it."""

    name: str
    kind: str
    about: Value
    sql: Path | None
    csv: Path | None
    py: Path | None = None

    @property
    def place(self) -> Place:
        """Return where the node is declared."""
        return self.about.place


@dataclass(frozen=True)
class Files:
    """The files of one name in one folder: orders.yml, orders.sql, orders.py, orders.csv."""

    folder: Path
    stem: str
    suffixes: dict[str, Path]

    @property
    def own_folder(self) -> bool:
        """nodes/orders/orders.*, the 1:1 layout"""
        return self.stem == self.folder.name

    @property
    def yml(self) -> Path | None:
        """Return the YAML file of a node."""
        return next(
            (self.suffixes[suffix] for suffix in YAML_SUFFIXES if suffix in self.suffixes), None
        )


def find_nodes(folders: list[Path], report: Report) -> Iterator[Node]:
    """Every node below these folders, in the order of their paths."""
    seen: set[Path] = set()
    for folder in folders:
        for files in _walk(folder, report):
            where = files.folder.resolve() / files.stem
            if where in seen:
                continue

            seen.add(where)
            yield from attempt_each(
                [files], partial(read_node, report=report), first_place, report, "this node"
            )


def first_place(files: Files) -> Place:
    """The beginning of the first file of a node."""
    return start_of(next(iter(files.suffixes.values()), files.folder))


def read_node(files: Files, report: Report) -> Node | None:
    """Return a node with its kind. A YAML file whose folder has another name, and that declares no
    kind, is not a node.
    """
    about = _read_yaml(files, report)
    if about is None:
        return None

    kind = _declared_kind(about, files, report) or _inferred_kind(about, files)
    if kind is None and not files.own_folder:
        return None

    sql, csv, py = map(files.suffixes.get, (".sql", ".csv", ".py"))
    return Node(about.text(report, "name") or files.stem, kind or "sql", about, sql, csv, py)


def _read_yaml(files: Files, report: Report) -> Value | None:
    """Return the YAML of a node: empty, at the first line, if there is none; None if it is broken
    and nothing else exists.
    """
    first = files.yml or next(
        files.suffixes[suffix] for suffix in CONTENTS if suffix in files.suffixes
    )
    nothing = Value({}, Place(str(first), 1, 1))
    if files.yml is None:
        report(_missing_yaml(first, nothing.place))
        return nothing

    value = yaml.read(files.yml, report)
    if value is not None and value.data is None:
        return nothing

    if value is not None and isinstance(value.data, dict):
        return value

    if value is not None:
        report(value.report_unexpected("a mapping"))

    if len(files.suffixes) > 1:
        return nothing

    return None


def _missing_yaml(first: Path, place: Place) -> Diagnostic:
    """Return the diagnostic of a node without YAML."""
    wanted = f"{first.stem}.yml"
    return Diagnostic(
        Code.MISSING_YAML,
        f"{first} has no {wanted} next to it",
        place,
        f"Write {wanted} beside {first.name}.",
    )


def _declared_kind(about: Value, files: Files, report: Report) -> str | None:
    """Return the kind in the YAML. `kind: model` is a model in any language."""
    value = about.get("kind")
    if value is None:
        return None

    said = value.as_text(report).lower()
    kind = KINDS.get(said)
    if kind is None and not isinstance(value.data, (dict, list)):
        report(value.report_unexpected("sql, python, seed, source or function"))

    if said in ("model", "models") and ".py" in files.suffixes and ".sql" not in files.suffixes:
        return "python"

    return kind


def _inferred_kind(about: Value, files: Files) -> str | None:
    """Return the kind of a node that its YAML or its files imply."""
    signs = (
        ("source", about.get("tables")),
        ("function", about.get("function_type")),
        ("sql", files.suffixes.get(".sql")),
        ("python", files.suffixes.get(".py")),
        ("seed", files.suffixes.get(".csv")),
    )
    return next((kind for kind, sign in signs if sign is not None), None)


def _walk(folder: Path, report: Report) -> Iterator[Files]:
    """Yield the files of nodes in a folder and below it."""
    for where, names in walk(folder, report):
        yield from _files_in(where, names)


def _files_in(folder: Path, names: list[str]) -> Iterator[Files]:
    """The files of a folder by their stem. A CSV alone is a seed only if the folder is called like
    it, and Python alone
    is a model only if its text says so, too: else it is a module that models import."""
    stems: dict[str, dict[str, Path]] = {}
    for name in names:
        path = folder / name
        if path.suffix.lower() in (*CONTENTS, *YAML_SUFFIXES) and not name.startswith("."):
            stems.setdefault(path.stem, {})[path.suffix.lower()] = path

    for stem, suffixes in stems.items():
        if set(suffixes) == {".csv"} and stem != folder.name:
            continue

        if set(suffixes) == {".py"} and (stem != folder.name or not _is_model(suffixes[".py"])):
            continue

        yield Files(folder, stem, suffixes)


def _is_model(path: Path) -> bool:
    """def model(dbt, session)"""
    return form_of(peek_text(path)).kind is Kind.MODEL
