"""Which consumers of a dbt project name which columns, read from its YAML files and nothing else.

This shares no code with lineal: it reads YAML with PyYAML, knows the shapes that dbt documents for
version 1 and 2, and leaves out what it cannot tell for sure (expressions with more than one word).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

NAME = re.compile(r"[A-Za-z_]\w*")
REF = re.compile(r"""ref\(\s*['"](?:\w+['"]\s*,\s*['"])?(\w+)['"]""")
SOURCE = re.compile(r"""source\(\s*['"](\w+)['"]\s*,\s*['"](\w+)['"]""")
TESTS = ("tests", "data_tests")
FOLDERS = ("dbt_packages", "dbt_modules", "target", "node_modules", "integration_tests", "macros")

Column = tuple[str, str]
"""A dataset and a column of it."""


class Loader(yaml.SafeLoader):
    """Reads YAML with Jinja in it, as far as it is YAML."""


@dataclass
class Expected:
    """What names a column: generic tests by their names, and elements of the semantic layer."""

    tests: dict[Column, set[str]] = field(default_factory=dict)
    layer: dict[Column, set[str]] = field(default_factory=dict)
    measured: set[str] = field(default_factory=set)
    """the models that a metric reads through a semantic model"""


def expectations(folder: Path) -> Expected:
    """Return what the property files of a project say."""
    documents = list(read_all(folder))
    expected = Expected()
    for document in documents:
        for section in ("models", "seeds", "snapshots"):
            for node in entries_of(document.get(section)):
                if is_on(node):
                    add_tests(node, str(node.get("name")), expected)
        for source in entries_of(document.get("sources")):
            for table in entries_of(source.get("tables")):
                if is_on(source) and is_on(table):
                    add_tests(table, f"{source.get('name')}.{table.get('name')}", expected)
    add_layer(documents, expected)
    return expected


def read_all(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted((*folder.rglob("*.yml"), *folder.rglob("*.yaml"))):
        inner = file.relative_to(folder).parts
        if any(part in FOLDERS for part in inner) or file.name == "dbt_project.yml":
            continue
        try:
            document = yaml.load(file.read_text("utf-8"), Loader)
        except (yaml.YAMLError, UnicodeDecodeError):
            continue
        if isinstance(document, dict):
            yield document


def entries_of(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    return [each for each in value if isinstance(each, dict)]


def is_on(node: dict[str, Any]) -> bool:
    config = node.get("config")
    return not (isinstance(config, dict) and config.get("enabled", True) is not True)


# -- tests -----------------------------------------------------------------------------------------


def add_tests(node: dict[str, Any], owner: str, expected: Expected) -> None:
    for name, arguments in tests_of(node):
        named = arguments.get("column_name")
        if isinstance(named, str) and NAME.fullmatch(named):
            add(expected.tests, (owner, named), name)
        for column in arguments.get("combination_of_columns") or ():
            if isinstance(column, str) and NAME.fullmatch(column):
                add(expected.tests, (owner, column), name)
    for column in entries_of(node.get("columns")):
        spelling = str(column.get("name"))
        for name, arguments in tests_of(column):
            if NAME.fullmatch(spelling):
                add(expected.tests, (owner, spelling), name)
            other, field_name = target_of(arguments.get("to")), arguments.get("field")
            if "field" in arguments and other and isinstance(field_name, str):
                add(expected.tests, (other, field_name), name)


def tests_of(node: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in TESTS:
        for each in node.get(key) or ():
            if isinstance(each, str):
                yield each.rpartition(".")[2], {}
            elif isinstance(each, dict):
                name = next(iter(each))
                held = each[name] if isinstance(each[name], dict) else {}
                if name in ("test_name", "name") and "test_name" in each:
                    name, held = str(each["test_name"]), each
                config = {**each, **held}.get("config") or {}
                if config.get("enabled", held.get("enabled", True)) is True:
                    called = str(held.get("name") or each.get("name") or name.rpartition(".")[2])
                    yield called, {**held, **(held.get("arguments") or {})}


def target_of(said: Any) -> str:
    text = str(said or "")
    ref, source = REF.search(text), SOURCE.search(text)
    if ref:
        return ref[1]
    return f"{source[1]}.{source[2]}" if source else ""


def add(found: dict[Column, set[str]], column: Column, name: str) -> None:
    found.setdefault((column[0], column[1].lower()), set()).add(name)


# -- the semantic layer ----------------------------------------------------------------------------


def add_layer(documents: list[dict[str, Any]], expected: Expected) -> None:
    measures: dict[str, tuple[Column | None, str]] = {}
    for document in documents:
        for each in entries_of(document.get("semantic_models")):
            if is_on(each):
                add_semantic_model(each, target_of(each.get("model")), expected, measures)
    metrics = {
        str(each["name"]): each
        for document in documents
        for each in entries_of(document.get("metrics"))
        if "name" in each and is_on(each)
    }
    for name in metrics:
        for measure in measures_behind(name, metrics, set()):
            column, model = measures.get(measure, (None, ""))
            if model:
                expected.measured.add(model)
            if column is not None:
                add(expected.layer, column, f"metric:{name}")


def add_semantic_model(
    about: dict[str, Any],
    model: str,
    expected: Expected,
    measures: dict[str, tuple[Column | None, str]],
) -> None:
    for kind in ("entities", "dimensions", "measures"):
        for each in entries_of(about.get(kind)):
            name, expression = str(each.get("name")), each.get("expr")
            said = name if expression is None else str(expression)
            column = (model, said) if NAME.fullmatch(said) and model else None
            if column is not None:
                add(expected.layer, column, f"semantic_model:{about['name']}")
            if kind == "measures":
                measures[name] = (column, model)


def measures_behind(name: str, metrics: dict[str, dict[str, Any]], seen: set[str]) -> Iterator[str]:
    """Yield the measures that a metric is made of, through other metrics."""
    if name in seen or name not in metrics:
        return
    seen.add(name)
    params = metrics[name].get("type_params") or {}
    for key in ("measure", "base_measure", "conversion_measure"):
        for held in (params, params.get("conversion_type_params") or {}):
            if key in held:
                yield name_of(held[key])
    inner = params.get("cumulative_type_params") or {}
    others = [params.get("numerator"), params.get("denominator"), inner.get("metric")]
    others += params.get("metrics") or []
    for other in others:
        if other is not None:
            yield from measures_behind(name_of(other), metrics, seen)


def name_of(value: Any) -> str:
    return str(value.get("name") if isinstance(value, dict) else value)
