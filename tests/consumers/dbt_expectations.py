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
        for unit_test in entries_of(document.get("unit_tests")):
            add_unit_test(unit_test, expected)
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


def add_unit_test(about: dict[str, Any], expected: Expected) -> None:
    """Add the columns that the rows of a unit test name, in its inputs and in what it expects."""
    sides = [(target_of(each.get("input")), each) for each in entries_of(about.get("given"))]
    if isinstance(about.get("expect"), dict):
        sides.append((str(about.get("model")), about["expect"]))
    for owner, side in sides:
        names = {str(name) for row in entries_of(side.get("rows")) for name in row}
        for name in names if owner and is_on(about) else ():
            add(expected.tests, (owner, name), str(about.get("name")))


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
    listed = [each for document in documents for each in entries_of(document.get("metrics"))]
    for document in documents:
        for model in entries_of(document.get("models")):
            if is_on(model) and is_semantic(model):
                add_annotated_model(model, expected)
                listed += add_own_metrics(model, measures)
    metrics = {str(each["name"]): each for each in listed if "name" in each and is_on(each)}
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


# -- dbt 2: the semantic layer in the properties of models -----------------------------------------


def is_semantic(model: dict[str, Any]) -> bool:
    held = model.get("semantic_model")
    return held is True or (isinstance(held, dict) and held.get("enabled", True) is True)


def add_annotated_model(model: dict[str, Any], expected: Expected) -> None:
    """Add the columns that are entities or dimensions, and those that derived ones are made of."""
    owner, held = str(model.get("name")), model.get("semantic_model")
    own = str(held.get("name") or owner) if isinstance(held, dict) else owner
    named = [
        str(column.get("name"))
        for column in entries_of(model.get("columns"))
        if "entity" in column or "dimension" in column
    ]
    derived = model.get("derived_semantics") or {}
    for kind in ("entities", "dimensions"):
        named += [str(each.get("expr")) for each in entries_of(derived.get(kind))]
    for name in named:
        if NAME.fullmatch(name):
            add(expected.layer, (owner, name), f"semantic_model:{own}")


def add_own_metrics(
    model: dict[str, Any], measures: dict[str, tuple[Column | None, str]]
) -> list[dict[str, Any]]:
    """Return the metrics of a model; a simple one is its own measure."""
    owner, found = str(model.get("name")), entries_of(model.get("metrics"))
    for each in found:
        if "agg" in each:
            said = str(each.get("expr") or each.get("name"))
            column = (owner, said) if NAME.fullmatch(said) else None
            measures[f"{each.get('name')} (simple)"] = (column, owner)
    return found


def measures_behind(name: str, metrics: dict[str, dict[str, Any]], seen: set[str]) -> Iterator[str]:
    """Yield the measures that a metric is made of, through other metrics."""
    if name in seen or name not in metrics:
        return
    seen.add(name)
    about = metrics[name]
    if "agg" in about:
        yield f"{name} (simple)"
    params = about.get("type_params") or {}
    for key in ("measure", "base_measure", "conversion_measure"):
        for held in (params, params.get("conversion_type_params") or {}):
            if key in held:
                yield name_of(held[key])
    inner = params.get("cumulative_type_params") or {}
    others = [params.get("numerator"), params.get("denominator"), inner.get("metric")]
    others += params.get("metrics") or []
    keys = ("numerator", "denominator", "input_metric", "base_metric", "conversion_metric")
    others += [about.get(key) for key in keys]
    others += about.get("input_metrics") or []
    for other in others:
        if other is not None:
            yield from measures_behind(name_of(other), metrics, seen)


def name_of(value: Any) -> str:
    return str(value.get("name") if isinstance(value, dict) else value)
