"""What a front end is given: a text with its dialect, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from lineal.model.diagnostic import Diagnostic
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo


@dataclass(frozen=True)
class Script:
    """One text of one or more statements.

    A bare SELECT in it defines `target` (a model's name), else a dataset named after the file, else `query_<hash>`.
    """

    text: str
    dialect: str
    file: str = ""
    line: int = 1
    target: str | None = None
    kind: str = "query"


@dataclass(frozen=True)
class Function:
    """CREATE FUNCTION name(parameters) AS body: an expression (scalar) or a query (table) over its parameters."""

    name: str
    table: bool
    parameters: tuple[str, ...]
    body: Script
    columns: tuple[ColumnInfo, ...] = ()


@dataclass
class Corpus:
    """Everything that is analysed together: one graph comes out of it."""

    dialect: str
    scripts: list[Script] = field(default_factory=list)
    datasets: list[DatasetInfo] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    namespace: str = ""


def dataset(name: str, namespace: str = "") -> Dataset:
    return Dataset(namespace, name)
