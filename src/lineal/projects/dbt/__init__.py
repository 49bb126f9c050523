"""dbt projects: a folder with dbt_project.yml, its target folder, or a manifest.json.

With target/manifest.json the SQL is what dbt has compiled; without it the templates are rendered here, in the sandbox.
Models are called as dbt calls them, and sources <source>.<table>; the relations that SQL names are mapped back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lineal.model.script import Corpus
from lineal.projects.dbt import files
from lineal.projects.dbt.adapters import adapter_named, adapter_said, adapter_spoken, profile_of
from lineal.projects.dbt.corpus import Assembly, index_of
from lineal.projects.dbt.index import Index
from lineal.projects.dbt.node import Node, name_datasets
from lineal.projects.dbt.project import PROJECT_FILE, Package, Project, read_project
from lineal.projects.dbt.rendering import Kitchen
from lineal.projects.schema import Schema
from lineal.projects.text import Report, read_text


def matches(path: Path) -> bool:
    """A folder with dbt_project.yml in it, or the project file itself."""
    return (path / PROJECT_FILE).is_file() or path.name == PROJECT_FILE


def load(path: Path, dialect: str | None = None, schema: Schema = None) -> Corpus:
    folder = path.parent if path.name == PROJECT_FILE else path
    return load_files(folder, dialect, schema)


def load_files(folder: Path, dialect: str | None, schema: Schema) -> Corpus:
    """The uncompiled way."""
    corpus = Corpus("")
    report = corpus.diagnostics.append
    project = read_project(folder, report)
    packages = [(package, files.properties_of(package, report)) for package in project.all]
    macros = [each for package in project.all for each in macros_of(package, report)]
    target = target_of(project, report)
    kitchen = Kitchen(
        project.root.name, str(project.root.file), target, Index([], project.root.name), macros, project.variables(),
        project.namespaces,
    )  # fmt: skip
    values = kitchen.values(files.jinja_in(packages), project.root.name)
    variables = {package: rendered(held, values) for package, held in project.variables().items()}
    nodes: list[Node] = []
    for package, properties in packages:
        nodes += files.nodes_of(files.Reader(package, project, target, values, properties, report))
    nodes = files.duplicates(nodes, report)
    name_datasets(nodes, project.root.name)
    if not target["type"]:
        target["type"] = adapter_spoken(node.text for node in nodes)
    index = index_of(nodes, project.root.name)
    by_id = {node.id: node for node in nodes}
    kitchen = Kitchen(
        project.root.name, str(project.root.file), target, index, macros, variables, project.namespaces, by_id
    )
    made = Assembly(nodes, kitchen, dialect, schema).finish()
    made.diagnostics = [*corpus.diagnostics, *made.diagnostics]
    return made


def rendered(data: Any, values: Mapping[str, Any]) -> Any:
    """Variables, with those that are templates rendered."""
    if isinstance(data, dict):
        return {key: rendered(item, values) for key, item in data.items()}
    if isinstance(data, list):
        return [rendered(item, values) for item in data]
    return values.get(data, data) if isinstance(data, str) else data


def macros_of(package: Package, report: Report) -> list[tuple[str, str, str]]:
    found = []
    for path in files.below(package.paths["macros"], (".sql",), report):
        text = read_text(path, report)
        if text is not None and "macro" in text:
            found.append((package.name, str(path), text))
    return found


def target_of(project: Project, report: Report) -> dict[str, str]:
    """What the profile says, as far as it is known; the adapter, where no profile does, from what the project says."""
    root = project.root
    profile = root.about.text(report, "profile")
    found = profile_of(root.folder, profile, report)
    adapter = found.get("type") or adapter_named(profile) or adapter_said(root.folder, report)
    database = found.get("database") or "analytics"
    schema = found.get("schema") or "dbt"
    return {
        "type": adapter, "database": database, "dbname": database, "project": database, "catalog": database,
        "schema": schema, "dataset": schema, "name": found.get("name") or "dev",
        "profile_name": profile or "default", "user": "dbt", "role": "dbt", "warehouse": "dbt", "threads": "1",
    }  # fmt: skip
