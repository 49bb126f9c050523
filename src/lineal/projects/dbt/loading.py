"""From a folder to a corpus: by the manifest, or by the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus, Meaning
from lineal.projects import yaml
from lineal.projects.dbt import files
from lineal.projects.dbt.adapters import (
    DIALECTS,
    adapter_named,
    adapter_said,
    adapter_spoken,
    profile_of,
)
from lineal.projects.dbt.corpus import Assembly, index_of
from lineal.projects.dbt.data_tests import generic_macros, generic_tests, singular_tests
from lineal.projects.dbt.index import Index
from lineal.projects.dbt.manifest import Manifest, read_manifest, with_catalog
from lineal.projects.dbt.node import REFERABLE, Node, name_datasets, separate
from lineal.projects.dbt.project import Package, Project, read_project
from lineal.projects.dbt.render_cache import Kept
from lineal.projects.dbt.rendering import Kitchen
from lineal.projects.dbt.stamp import MANIFEST_FILE, TARGET, folders_of, home_of
from lineal.projects.schema import Schema
from lineal.projects.settings import read_meanings
from lineal.projects.text import Report, read_text, start_of

NO_DIALECT = (
    "the project does not say which database it is for: its SQL is taken for Spark's (--dialect)"
)


def loaded(
    path: Path, dialect: str | None, schema: Schema, kept: Kept | None, to_run: bool = False
) -> Corpus:
    folder, project = folders_of(path)
    manifest = _manifest_of(path, folder)
    diagnostics: list[Diagnostic] = []
    found = None
    if manifest is not None:
        found = read_manifest(
            manifest, project or home_of(folder), diagnostics.append, project is not None
        )
    if found is not None:
        corpus = load_manifest(found, project, dialect, schema, kept, to_run)
    elif project is not None:
        corpus = load_files(project, dialect, schema, kept, to_run)
    else:
        corpus = Corpus(dialect or "")
    corpus.meanings, corpus.engine = _beside(project or folder, diagnostics.append)
    corpus.diagnostics = [*diagnostics, *corpus.diagnostics]
    return corpus


def _beside(folder: Path, report: Report) -> tuple[list[Meaning], dict[str, Any]]:
    """functions: and spark: in a lineal.yml that stands beside dbt_project.yml"""
    file = next(
        (folder / name for name in ("lineal.yml", "lineal.yaml") if (folder / name).is_file()), None
    )
    about = yaml.read(file, report) if file is not None else None
    if about is None or not isinstance(about.data, dict):
        return [], {}
    engine = {key: value.plain() for key, value in about.mapping(report, "spark").items()}
    return read_meanings(about, report), engine


def _manifest_of(path: Path, folder: Path) -> Path | None:
    if path.name == MANIFEST_FILE and path.is_file():
        return path
    places = (folder / MANIFEST_FILE, folder / TARGET / MANIFEST_FILE)
    return next((each for each in places if each.is_file()), None)


def load_manifest(
    manifest: Manifest,
    folder: Path | None,
    dialect: str | None,
    schema: Schema,
    kept: Kept | None = None,
    to_run: bool = False,
) -> Corpus:
    """The compiled way."""
    diagnostics: list[Diagnostic] = []
    report = diagnostics.append
    nodes = manifest.nodes
    with_catalog(nodes, manifest.file.with_name("catalog.json"), report)
    variables: Mapping[str, Mapping[str, Any]] = {}
    namespaces: Mapping[str, list[str]] = {}
    profile: dict[str, str] = {}
    if folder is not None:
        project = read_project(folder, report)
        variables, namespaces = project.variables(), project.namespaces
        profile = target_of(project, report)
    models = [node for node in nodes if node.kind == "model"]
    first = models[0].parts if models else ("analytics", "dbt", "")
    target = {"database": first[0], "schema": first[1], "name": "dev", **profile}
    target["type"] = manifest.adapter or target.get("type", "")
    if folder is not None:
        new = _new_models(manifest, project, target, report)
        nodes += new
        manifest.stale.extend(node.file for node in new)
    name_datasets(nodes, manifest.project)
    kitchen = Kitchen(
        manifest.project, str(manifest.file), target, index_of(nodes, manifest.project), manifest.macros, variables,
        namespaces, {node.id: node for node in nodes}, kept,
    )  # fmt: skip
    if manifest.stale:
        several = (
            f"{manifest.stale[0]} and {len(manifest.stale) - 1} more have"
            if len(manifest.stale) > 1
            else ""
        )
        message = f"{several or f'{manifest.stale[0]} has'} changed since the manifest was made"
        report(Diagnostic(Code.STALE_MANIFEST, message, Place(str(manifest.file), 1, 1)))
    assembly = Assembly(nodes, kitchen, dialect, schema, folder or manifest.root)
    assembly.seed_files = seed_files([project.root]) if folder is not None else {}
    corpus = assembly.finish(manifest.tests if to_run else None)
    corpus.notes += unit_test_note(manifest.unit_tests) if to_run else []
    corpus.notes += unknown_adapter_note(target["type"], dialect) if to_run else []
    corpus.diagnostics = [*diagnostics, *corpus.diagnostics]
    return corpus


def unit_test_note(count: int) -> list[str]:
    """dbt's unit tests have rows of their own, and are not run."""
    if not count:
        return []
    return [f"{count} unit {'test is' if count == 1 else 'tests are'} not run"]


def unknown_adapter_note(adapter: str, dialect: str | None) -> list[str]:
    """Return what to say of an adapter whose dialect is not known."""
    if not adapter or adapter in DIALECTS or dialect is not None:
        return []
    return [f"the adapter {adapter} is not known: its SQL is taken for Spark's (--dialect)"]


def _new_models(
    manifest: Manifest, project: Project, target: Mapping[str, str], report: Report
) -> list[Node]:
    """Models that have been written since the manifest was made."""
    found = files.below(project.root.paths["models"], (".sql", ".py"), report)
    if all(str(path) in manifest.known for path in found):
        return []
    properties = files.properties_of(project.root, report)
    reader = files.Reader(project.root, project, target, {}, properties, report)
    return [node for node in files.models_of(reader) if node.file not in manifest.known]


def load_files(
    folder: Path,
    dialect: str | None,
    schema: Schema,
    kept: Kept | None = None,
    to_run: bool = False,
) -> Corpus:
    """The uncompiled way."""
    corpus = Corpus("")
    report = corpus.diagnostics.append
    project = read_project(folder, report)
    packages = [(package, files.properties_of(package, report)) for package in project.all]
    macros = [each for package in project.all for each in macros_of(package, report)]
    if to_run:
        macros += [each for package in project.all for each in generic_macros(package, report)]
    target = target_of(project, report)
    kitchen = Kitchen(
        project.root.name, str(project.root.file), target, Index([], project.root.name), macros, project.variables(),
        project.namespaces, kept=kept,
    )  # fmt: skip
    values = kitchen.values(
        (each.name, text) for each, about in packages for text in files.jinja_in(each, about)
    )
    seen = {
        each.name: {**values.get(project.root.name, {}), **values.get(each.name, {})}
        for each in project.all
    }
    nodes: list[Node] = []
    for package, properties in packages:
        nodes += files.nodes_of(
            files.Reader(package, project, target, seen[package.name], properties, report)
        )
    guessed = False
    nodes = files.apart(nodes)
    separate(nodes, project.root.name)
    if not any(node.kind in REFERABLE for node in nodes):
        message = (
            f"the project {folder} has no models, seeds or snapshots where it says that they are"
        )
        report(Diagnostic(Code.NO_INPUT, message, Place(str(project.root.file), 1, 1)))
    name_datasets(nodes, project.root.name)
    if not target["type"]:
        spoken = dialect if dialect in DIALECTS else adapter_spoken(node.text for node in nodes)
        target["type"] = spoken or ("spark" if to_run else "")
        guessed = to_run and not spoken
    index = index_of(nodes, project.root.name)
    by_id = {node.id: node for node in nodes}
    kitchen = Kitchen(
        project.root.name, str(project.root.file), target, index, macros, project.variables(), project.namespaces,
        by_id, kept,
    )  # fmt: skip
    assembly = Assembly(nodes, kitchen, dialect, schema, folder)
    assembly.seed_files = seed_files(project.all)
    made = assembly.finish(
        [*generic_tests(nodes, project, target["type"]), *singular_tests(project, report)]
        if to_run
        else None
    )
    made.notes += [NO_DIALECT] if guessed else []
    made.notes += unknown_adapter_note(target["type"], dialect) if to_run else []
    made.notes += (
        unit_test_note(sum(properties.unit_tests for _, properties in packages)) if to_run else []
    )
    made.diagnostics = [*corpus.diagnostics, *made.diagnostics]
    return made


def seed_files(packages: Iterable[Package]) -> dict[str, Path]:
    """Every CSV file below the folders of seeds, by its name."""
    found: dict[str, Path] = {}
    for package in packages:
        for path in files.below(package.paths["seeds"], (".csv",), lambda _: None):
            found.setdefault(path.stem.lower(), path)
    return found


MACRO_WORDS = ("macro", "endtest", "enddata_test")
"""A file without any of these defines no macro and no test."""


def macros_of(package: Package, report: Report) -> list[tuple[str, str, str]]:
    def read(path: Path) -> tuple[str, str, str] | None:
        text = read_text(path, report)
        if text is None or not any(word in text for word in MACRO_WORDS):
            return None
        return (package.name, str(path), text)

    paths = files.below(package.paths["macros"], (".sql",), report)
    return list(attempt_each(paths, read, start_of, report, "this macro file"))


def target_of(project: Project, report: Report) -> dict[str, str]:
    """What the profile says, as far as it is known; the adapter, where no profile does, from what
    the project says.
    """
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
