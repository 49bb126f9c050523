"""Schemas that the caller brings along: `--schema FILE` (JSON or YAML), or a mapping.

{orders: {id: int, amount: decimal}}                       {tables: {orders: [id, amount]}}
{orders: {id: {type: int, description: Order number}}}     {orders: {columns: [{name: id, type:
int}]}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from itertools import starmap
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.script import Corpus
from lineal.projects import yaml
from lineal.projects.columns import merge_infos, name_of, read_columns
from lineal.projects.errors import ProjectError
from lineal.projects.text import Report, read_text
from lineal.projects.yaml import Value

Schema = Mapping[str, object] | str | os.PathLike[str] | None
"""A mapping table → columns, or the path of a file with one."""


def schema_datasets(schema: Schema, namespace: str, report: Report) -> list[DatasetInfo]:
    """The datasets of a schema, whichever way the caller gave it."""
    if schema is None:
        return []

    if isinstance(schema, Mapping):
        return schema_of(schema, namespace)

    infos, diagnostics = read_schema(schema, namespace)
    for diagnostic in diagnostics:
        report(diagnostic)

    return infos


def read_schema(
    path: str | os.PathLike[str], namespace: str = ""
) -> tuple[list[DatasetInfo], list[Diagnostic]]:
    """Return the datasets of a schema file. A file that is missing or cannot be read is the caller's
    mistake; a mistake in the file is a diagnostic.
    """
    file = Path(path)
    if not file.exists() or file.is_dir():
        raise ProjectError(f"there is no schema file {os.fspath(path)}")

    diagnostics: list[Diagnostic] = []
    text = read_text(file, diagnostics.append, asked=True)
    if text is None:
        raise ProjectError("; ".join(each.message for each in diagnostics))

    value = _parse_text(text, file, diagnostics.append)
    infos = [] if value is None else _tables(value, namespace, diagnostics.append)
    return infos, diagnostics


def schema_of(mapping: Mapping[str, object], namespace: str = "") -> list[DatasetInfo]:
    """The datasets of a mapping; one of the wrong shape is the caller's mistake."""
    if _is_plain(mapping):
        plain: Mapping[str, Any] = mapping
        return [
            PlainTable(Dataset(namespace, str(name)), columns) for name, columns in plain.items()
        ]

    diagnostics: list[Diagnostic] = []
    infos = _tables(yaml.of_plain(mapping), namespace, diagnostics.append)
    if diagnostics:
        raise ProjectError(f"schema: {diagnostics[0].message}")

    return infos


class PlainTable(DatasetInfo):
    """{orders: {id: int}}

    by far the most usual shape: its columns are read when the table is
    """

    def __init__(self, dataset: Dataset, types: dict[Any, Any]) -> None:
        self.dataset = dataset
        self.kind = "table"
        self.complete = bool(types)
        self.description = ""
        self.place = None
        self.types = types

    @property
    def quoted(self) -> frozenset[str]:
        """Return no columns: none is quoted."""
        return frozenset()

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        if set(map(type, self.types)) <= {str}:
            return list(self.types)

        return super().names

    @cached_property
    def columns(self) -> list[ColumnInfo]:  # type: ignore[override]
        """Return the columns."""
        if set(map(type, self.types)) <= {str} and set(map(type, self.types.values())) <= {str}:
            return list(starmap(ColumnInfo, self.types.items()))

        diagnostics: list[Diagnostic] = []
        columns = read_columns(yaml.of_plain(self.types), diagnostics.append)
        if diagnostics:
            raise ProjectError(f"schema: {diagnostics[0].message}")

        return columns


def _is_plain(mapping: Mapping[str, object]) -> bool:
    """{table: {column: …}}, each table once, and nothing around it"""
    folded = {str(name).lower() for name in mapping}
    return (
        len(folded) == len(mapping)
        and "tables" not in folded
        and all(
            type(table) is dict and type(table.get("columns")) is not list
            for table in mapping.values()
        )
    )


def _parse_text(text: str, file: Path, report: Report) -> Value | None:
    """Parse YAML or JSON. JSON goes through its own parser first, because that explains mistakes
    better.
    """
    if file.suffix.lower() == ".json":
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            place = Place(str(file), error.lineno, error.colno)
            report(Diagnostic(Code.YAML_ERROR, f"not valid JSON: {error.msg}", place))
            return None
        except RecursionError:
            pass

        text = text.replace("\t", " ")

    return yaml.parse(text, str(file), report)


def _tables(value: Value, namespace: str, report: Report) -> list[DatasetInfo]:
    """Return the tables of a schema file."""
    inner = value.get("tables")
    if inner is not None and _holds_tables(inner):
        value = inner

    if isinstance(value.data, list):
        named = [
            (name_of(item, report), item if isinstance(item.data, dict) else Value(None))
            for item in value.data
        ]
    elif isinstance(value.data, dict):
        named = list(value.data.items())
    else:
        report(value.report_unexpected("a mapping of tables"))
        named = []

    return merge_infos(_table(name, table, namespace, report) for name, table in named if name)


def _holds_tables(value: Value) -> bool:
    """tables: {orders: {…}} is a schema, tables: {id: int} is a table of that name"""
    if isinstance(value.data, dict):
        return all(
            isinstance(item.data, (dict, list)) or item.data is None for item in value.data.values()
        )

    return isinstance(value.data, list) and all(isinstance(item.data, dict) for item in value.data)


def _table(name: str, value: Value, namespace: str, report: Report) -> DatasetInfo:
    """Return one table of a schema file with its columns."""
    listed = value.get("columns")
    wrapped = listed is not None and isinstance(listed.data, list)
    described = value.text(report, "description") if wrapped else ""
    columns = read_columns(listed if wrapped else _none_for_null(value), report)
    place = value.known_place
    return DatasetInfo(Dataset(namespace, name), "table", columns, bool(columns), described, place)


def _none_for_null(value: Value) -> Value | None:
    """Return the value; None for null."""
    if value.data is None:
        return None

    return value


def empty_corpus(dialect: str | None, schema: Schema) -> Corpus:
    """Return a corpus that holds nothing but the tables of a schema."""
    corpus = Corpus(dialect or "")
    corpus.datasets = schema_datasets(schema, "", corpus.diagnostics.append)
    return corpus
