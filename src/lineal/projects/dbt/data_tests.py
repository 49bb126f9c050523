"""Data tests: what YAML, a manifest and the files below tests/ say must hold.

columns: [{name: id, data_tests: [unique, {relationships: {to: ref('orders'), field: id}}]}]
generic ones
tests/no_negative_totals.sql                                                                    a
singular one

A test is a node whose text is a template: `{{ test_unique(**_dbt_generic_test_kwargs) }}`, as dbt
writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Place
from lineal.model.plain import as_mapping
from lineal.projects.dbt.files import files_below, fqn
from lineal.projects.dbt.node import REFERABLE, DataTest, Node, base_of
from lineal.projects.dbt.project import Package, Project, settings
from lineal.projects.dbt.sandbox.relation import quote_of
from lineal.projects.text import Report, read_text
from lineal.projects.yaml import Value

TEST_KEYS = ("data_tests", "tests")
CONFIG_KEYS = frozenset((
    "severity", "where", "limit", "error_if", "warn_if", "fail_calc", "store_failures", "store_failures_as", "enabled",
    "tags", "meta", "database", "schema", "alias", "group", "sql_header",
))  # fmt: skip
"""The keys that say how a test is run; any other key is one of its arguments."""

OWN_KEYS = CONFIG_KEYS | {"name", "description", "config", "arguments", "test_name"}
"""The keys of a test's entry that are not the name of the test."""

GENERIC_BLOCK = ("{% test", "{%- test", "{% data_test", "{%- data_test")


def generic_tests(nodes: Iterable[Node], project: Project, adapter: str) -> Iterator[Node]:
    """The tests that YAML lists for nodes and their columns."""
    trees = {package.name: test_settings(package) for package in project.all}
    for node in list(nodes):
        if node.about is None or node.kind not in ("source", *REFERABLE):
            continue

        tree = trees.get(node.package, {})
        root = trees.get(project.root.name, {}) if node.package != project.root.name else {}
        for number, (column, value) in enumerate(listed_tests(node.about, adapter)):
            base = {**settings(tree, [node.package]), **settings(root, [node.package])}
            yield from generic_test(node, column, value, base, number)


def test_settings(package: Package) -> dict[str, object]:
    """data_tests: {+severity: warn} in dbt_project.yml"""
    found: dict[str, Any] = {}
    for kind in ("tests", "data_tests"):
        found |= package.tree(kind)

    return found


def listed_tests(about: Value, adapter: str) -> Iterator[tuple[str, Value]]:
    """Each test with its column, '' for one of the whole node."""
    for value in about.items_of(*TEST_KEYS):
        yield "", value

    for column in about.items_of("columns"):
        name = column.get("name")
        if name is None:
            continue

        mark = quote_of(adapter) if column.part("quote").data is True else ""
        for value in column.items_of(*TEST_KEYS):
            yield f"{mark}{name.raw}{mark}", value


def generic_test(
    node: Node, column: str, value: Value, base: Mapping[str, object], number: int
) -> Iterator[Node]:
    """unique, {unique: {where: …}}, {dbt_utils.at_least_one: …} or {name: x, test_name: unique,
    arguments: {…}}
    """
    data: dict[str, Value] = {}
    if not value.is_mapping:
        name = value.raw.strip()
    elif value.get("test_name") is not None:
        name, data = value.part("test_name").raw, value.entries
    else:
        beside = {key: item for key, item in value.entries.items() if key in OWN_KEYS}
        name = next((key for key in value.entries if key not in OWN_KEYS), "")
        data = {**value.part(name).entries, **beside}

    if name:
        yield test_node(node, name, column, data, base, value.place, number)


def test_node(
    node: Node,
    name: str,
    column: str,
    data: dict[str, Value],
    base: Mapping[str, object],
    place: Place,
    number: int,
) -> Node:
    """Return the node of a test that a property file lists."""
    about = Value(data)
    arguments = {key: item.plain() for key, item in data.items() if key not in OWN_KEYS}
    arguments |= as_mapping(about.part("arguments").plain())
    config = {**base, **{key: item.plain() for key, item in data.items() if key in CONFIG_KEYS}}
    config |= as_mapping(about.part("config").plain())
    if column:
        arguments = {"column_name": column, **arguments}

    package, _, short = name.rpartition(".")
    return Node(
        id=f"test.{node.package}.{base_of(node.id)}.{number}",
        kind="test",
        package=node.package,
        name=about.part("name").raw or short,
        file=place.file or node.file,
        text=f"{{{{ {f'{package}.' if package else ''}test_{short}(**_dbt_generic_test_kwargs) }}}}",
        line=place.line,
        config={"materialized": "test", **config},
        test=DataTest(name, {"model": model_of(node), **arguments}, column, node.id, place),
    )


def model_of(node: Node) -> str:
    """{{ get_where_subquery(ref('shop', 'orders')) }}"""
    if node.kind == "source":
        source, _, table = node.name.partition(".")
        call = f"source({source!r}, {table!r})"
    else:
        version = f", v={node.version!r}" if node.version else ""
        call = f"ref({node.package!r}, {node.name!r}{version})"

    return f"{{{{ get_where_subquery({call}) }}}}"


def singular_tests(project: Project, report: Report) -> Iterator[Node]:
    """tests/*.sql      those of the project itself, as dbt runs them"""
    package = project.root
    tree = test_settings(package)
    for path in files_below(package.paths["tests"], (".sql",), report):
        if is_generic(path, package.paths["tests"]):
            continue

        text = read_text(path, report)
        if text is None or any(block in text for block in GENERIC_BLOCK):
            continue

        config = settings(tree, [package.name, *fqn(path, package.paths["tests"])])
        yield Node(
            id=f"test.{package.name}.{path.stem}",
            kind="test",
            package=package.name,
            name=path.stem,
            file=str(path),
            text=text,
            config={"materialized": "test", **config},
            place=Place(str(path), 1, 1),
            test=DataTest("", place=Place(str(path), 1, 1)),
        )


def is_generic(path: Path, folders: list[Path]) -> bool:
    """tests/generic/… and tests/fixtures/… hold no singular tests"""
    return any(
        path.is_relative_to(folder) and path.relative_to(folder).parts[0] in ("generic", "fixtures")
        for folder in folders
    )


def generic_macros(package: Package, report: Report) -> Iterator[tuple[str, str, str]]:
    """tests/generic/*.sql      generic tests that a package brings outside its macros"""
    for path in files_below(package.paths["tests"], (".sql",), report):
        text = read_text(path, report)
        if text is not None and ("{% test" in text or "{%- test" in text or "data_test" in text):
            yield package.name, str(path), text
