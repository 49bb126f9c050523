"""From a folder to a corpus: by the manifest, or by the files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus, Meaning
from lineal.model.sequences import flatten
from lineal.projects import yaml
from lineal.projects.dbt import files
from lineal.projects.dbt.adapters import (
    DIALECTS,
    adapter_named,
    adapter_of,
    adapter_said,
    adapter_spoken,
    profile_of,
    with_environment,
)
from lineal.projects.dbt.consumers.assemble import Consumers
from lineal.projects.dbt.consumers.checks import UnitTest
from lineal.projects.dbt.consumers.semantic import entries_of_file
from lineal.projects.dbt.data_tests import generic_macros, generic_tests, singular_tests
from lineal.projects.dbt.draft import GUESSED, LOCATED, Draft, Request, share_names
from lineal.projects.dbt.entries import entries_without_files
from lineal.projects.dbt.index import Index
from lineal.projects.dbt.manifest import Manifest, read_manifest, with_catalog
from lineal.projects.dbt.name_macros import apply_name_macros
from lineal.projects.dbt.node import REFERABLE, Node, name_datasets, separate
from lineal.projects.dbt.options import NO_OPTIONS, DbtOptions
from lineal.projects.dbt.project import (
    Package,
    Project,
    local_folders,
    missing_packages,
    read_project,
)
from lineal.projects.dbt.properties import Properties
from lineal.projects.dbt.render_cache import ByteCache
from lineal.projects.dbt.rendering import RenderingContext
from lineal.projects.dbt.stamp import MANIFEST_FILE, PROJECT_FILE, TARGET, folders_of, home_of
from lineal.projects.schema import Schema
from lineal.projects.seeds import read_header
from lineal.projects.settings import read_meanings
from lineal.projects.text import Report, read_text, start_of

NO_DIALECT = (
    "the project does not say which database it is for: its SQL is taken for Spark's (--dialect)"
)


def load_projects(
    folders: list[Path],
    dialect: str | None,
    schema: Schema,
    kept: ByteCache | None,
    options: DbtOptions,
) -> list[Corpus]:
    """Return the corpus of each project of a repository; one that fails costs only itself.

    A project can name the models of the others with ref(), and a source that is a model's table is
    that model.
    """
    request = Request(dialect, schema, kept, False, options)
    problems: list[Diagnostic] = []
    local = local_packages(folders)
    drafts = list(
        attempt_each(
            [folder for folder in folders if folder.resolve() not in local],
            lambda folder: open_draft(folder, request),
            lambda folder: Place(str(folder / PROJECT_FILE), 1, 1),
            problems.append,
            "this project",
        )
    )
    share_names(drafts, problems.append)
    corpora = list(
        attempt_each(
            drafts,
            lambda draft: draft.finish(request),
            lambda draft: Place(draft.file, 1, 1),
            problems.append,
            "this project",
        )
    )
    if problems:
        corpora.append(Corpus(dialect or "", diagnostics=problems))

    return corpora


def local_packages(folders: list[Path]) -> set[Path]:
    """Return the projects that exactly one other project uses as a `local:` package below or next to
    it: they are read with it. A project that tests the one around it does not take it over.
    """
    users: dict[Path, set[Path]] = {}
    known = {folder.resolve() for folder in folders}
    for folder in folders:
        for path in local_folders(folder):
            used = path.resolve()
            if used in known and not folder.resolve().is_relative_to(used):
                users.setdefault(used, set()).add(folder.resolve())

    return {path for path, several in users.items() if len(several) == 1}


def load_project(
    path: Path,
    dialect: str | None,
    schema: Schema,
    kept: ByteCache | None,
    to_run: bool = False,
    options: DbtOptions = NO_OPTIONS,
) -> Corpus:
    """Return the corpus of a project, a target folder or a manifest."""
    request = Request(dialect, schema, kept, to_run, options)
    draft = open_draft(path, request)
    return draft.finish(request)


def open_draft(path: Path, request: Request) -> Draft:
    """Read the nodes of a project: by its manifest, unless the options ask for another target."""
    folder, project = folders_of(path)
    manifest = _manifest_of(path, folder)
    diagnostics: list[Diagnostic] = []
    found = None
    if manifest is not None and (project is None or request.options == NO_OPTIONS):
        found = read_manifest(
            manifest, project or home_of(folder), diagnostics.append, project is not None
        )

    if found is not None:
        draft = draft_of_manifest(found, project, request)
    elif project is not None:
        draft = draft_of_files(project, request)
    else:
        draft = Draft("", str(path), None, [], {"type": ""})

    draft.meanings, draft.engine = _read_own_settings(project or folder, diagnostics.append)
    draft.diagnostics = [*diagnostics, *draft.diagnostics]
    return draft


def _read_own_settings(folder: Path, report: Report) -> tuple[list[Meaning], dict[str, Any]]:
    """functions: and spark: in a lineal.yml next to dbt_project.yml"""
    file = next(
        (folder / name for name in ("lineal.yml", "lineal.yaml") if (folder / name).is_file()), None
    )
    about = yaml.read(file, report) if file is not None else None
    if about is None or not isinstance(about.data, dict):
        return [], {}

    engine = {key: value.plain() for key, value in about.mapping(report, "spark").items()}
    return read_meanings(about, report), engine


def _manifest_of(path: Path, folder: Path) -> Path | None:
    """Return the manifest of a project; None if there is none."""
    if path.name == MANIFEST_FILE and path.is_file():
        return path

    places = (folder / MANIFEST_FILE, folder / TARGET / MANIFEST_FILE)
    return next((each for each in places if each.is_file()), None)


def draft_of_manifest(manifest: Manifest, folder: Path | None, request: Request) -> Draft:
    """The compiled way."""
    diagnostics: list[Diagnostic] = []
    report = diagnostics.append
    nodes = manifest.nodes
    with_catalog(nodes, manifest.file.with_name("catalog.json"), report)
    models = [node for node in nodes if node.kind == "model"]
    first = models[0].parts if models else ("analytics", "dbt", "")
    target = {"database": first[0], "schema": first[1], "name": "dev"}
    project = read_project(folder, report) if folder is not None else None
    if project is not None:
        target |= target_of(project, request, report)

    target["type"] = manifest.adapter or target.get("type", "")
    target[LOCATED] = "manifest"
    if project is not None:
        new = _new_models(manifest, project, target, report)
        nodes += new
        manifest.stale.extend(node.file for node in new)

    name_datasets(nodes, manifest.project)
    report_stale(manifest, report)
    draft = Draft(
        manifest.project, str(manifest.file), folder or manifest.root, nodes, target, manifest.macros,
        diagnostics=diagnostics,
    )  # fmt: skip
    if project is not None:
        draft.variables = project.variables(request.options.variables)
        draft.namespaces = project.namespaces
        draft.packages = [project.root]

    draft.consumers = manifest.consumers
    if request.to_run:
        draft.tests = manifest.consumers.tests
        draft.notes = unit_test_note(len(manifest.consumers.unit_tests))
        draft.notes += unknown_adapter_note(target["type"], request.dialect)

    return draft


def report_stale(manifest: Manifest, report: Report) -> None:
    """Name the models that have been edited since the manifest was made."""
    if not manifest.stale:
        return

    first, more = manifest.stale[0], len(manifest.stale) - 1
    several = f"{first} and {more} more have" if more else f"{first} has"
    message = f"{several} changed since the manifest was made"
    report(Diagnostic(Code.STALE_MANIFEST, message, Place(str(manifest.file), 1, 1)))


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
    found = files.files_below(project.root.paths["models"], (".sql", ".py"), report)
    if all(str(path) in manifest.known for path in found):
        return []

    properties = files.properties_of(project.root, report)
    reader = files.Reader(project.root, project, target, {}, properties, report)
    return [node for node in files.models_of(reader) if node.file not in manifest.known]


def draft_of_files(folder: Path, request: Request) -> Draft:
    """The uncompiled way."""
    diagnostics: list[Diagnostic] = []
    report = diagnostics.append
    project = read_project(folder, report)
    packages = [(package, files.properties_of(package, report)) for package in project.all]
    macros = flatten(macros_of(package, report) for package in project.all)
    macros += flatten(generic_macros(package, report) for package in project.all)
    target = target_of(project, request, report)
    variables = project.variables(request.options.variables)
    root = project.root.name
    kitchen = RenderingContext(
        root, str(project.root.file), target, Index([], root), macros, variables, project.namespaces,
        kept=request.kept,
    )  # fmt: skip
    values = kitchen.values(
        (each.name, text) for each, about in packages for text in files.jinja_in(each, about)
    )
    nodes: list[Node] = []
    for package, properties in packages:
        seen = {**values.get(root, {}), **values.get(package.name, {})}
        nodes += files.nodes_of(files.Reader(package, project, target, seen, properties, report))

    nodes = files.tell_twins_apart(nodes)
    apply_name_macros(nodes, kitchen, report)
    separate(nodes, root)
    if not any(node.kind in REFERABLE for node in nodes):
        message = (
            f"the project {folder} has no models, seeds or snapshots where it says that they are"
        )
        report(Diagnostic(Code.NO_INPUT, message, Place(str(project.root.file), 1, 1)))

    diagnostics += entries_without_files(*packages[0], nodes)
    name_datasets(nodes, root)
    has_adapter = bool(target["type"])
    guessed = choose_adapter(target, nodes, request)
    if not (has_adapter or request.to_run):
        diagnostics += guessed_adapter(project, target)

    draft = Draft(
        root, str(project.root.file), folder, nodes, target, macros, variables, project.namespaces,
        packages=project.all, missing=missing_packages(project), diagnostics=diagnostics,
        is_alone=has_adapter,
    )  # fmt: skip
    tests = [
        *generic_tests(nodes, project, target["type"]),
        *singular_tests(project, report),
    ]
    draft.consumers = consumers_of(tests, nodes, packages)
    if request.to_run:
        draft.tests = tests
        draft.notes = [NO_DIALECT] if guessed else []
        draft.notes += unknown_adapter_note(target["type"], request.dialect)
        draft.notes += unit_test_note(sum(len(each.unit_tests) for _, each in packages))

    return draft


def consumers_of(
    tests: list[Node], nodes: list[Node], packages: list[tuple[Package, Properties]]
) -> Consumers:
    """Return what the property files of a project declare besides nodes."""
    found = Consumers(tests)
    for package, properties in packages:
        sections = {
            "semantic_models": properties.semantic_models,
            "metrics": properties.metrics,
            "saved_queries": properties.saved_queries,
        }
        models = [node for node in nodes if node.kind == "model" and node.package == package.name]
        found.entries += list(entries_of_file(package.name, sections, models))
        fixtures = fixture_columns(package) if properties.unit_tests else {}
        found.unit_tests += [
            UnitTest(package.name, about, fixtures) for about in properties.unit_tests
        ]

    return found


def fixture_columns(package: Package) -> dict[str, list[str]]:
    """tests/fixtures/orders.csv      the columns of its header"""
    found: dict[str, list[str]] = {}
    for path in files.files_below(package.paths["tests"], (".csv",), lambda _: None):
        header = read_header(path, ",", lambda _: None) or []
        found.setdefault(path.stem, [column.name for column in header])

    return found


def guessed_adapter(project: Project, target: Mapping[str, str]) -> list[Diagnostic]:
    """Say which dialect the models of a project are taken for, where no profile names an adapter."""
    adapter = target["type"]
    if not adapter:
        return []

    name, dialect = project.root.name, DIALECTS.get(adapter, adapter)
    message = f"the dbt project {name} names no adapter; it is read as {dialect}, by its models"
    return [Diagnostic(Code.GUESSED_DIALECT, message, Place(str(project.root.file), 1, 1))]


def choose_adapter(target: dict[str, str], nodes: list[Node], request: Request) -> bool:
    """Give a target whose adapter nobody names the one that its models speak; True if even they do
    not tell, and the project is to be run.
    """
    if target["type"]:
        return False

    spoken = adapter_spoken(node.text for node in nodes)
    target["type"] = spoken or ("spark" if request.to_run else "")
    return request.to_run and not spoken


MACRO_WORDS = ("macro", "endtest", "enddata_test")
"""A file without any of these defines no macro and no test."""


def macros_of(package: Package, report: Report) -> list[tuple[str, str, str]]:
    """Return the macro files of a package: package, file and text."""

    def read(path: Path) -> tuple[str, str, str] | None:
        """Return the package, name and text of a file with macros."""
        text = read_text(path, report)
        if text is None or not any(word in text for word in MACRO_WORDS):
            return None

        return (package.name, str(path), text)

    paths = files.files_below(package.paths["macros"], (".sql",), report)
    return list(attempt_each(paths, read, start_of, report, "this macro file"))


def target_of(project: Project, request: Request, report: Report) -> dict[str, str]:
    """Return the profile's target as far as it is known. Without a profile, the project decides the
    adapter. A requested dialect wins.
    """
    root, options = project.root, request.options
    profile = options.profile_name or with_environment(root.about.text(report, "profile")) or ""
    found = profile_of(root.folder, profile, options.target_name, root.file, report)
    adapter = adapter_of(request.dialect) if request.dialect else ""
    adapter = adapter or found.get("type") or adapter_named(profile)
    adapter = adapter or adapter_said(root.folder, report)
    database = found.get("database") or "analytics"
    schema = found.get("schema") or "dbt"
    return {
        "type": adapter, "database": database, "dbname": database, "project": database, "catalog": database,
        "schema": schema, "dataset": schema, "name": options.target_name or found.get("name") or "dev",
        "profile_name": profile or "default", "user": "dbt", "role": "dbt", "warehouse": "dbt", "threads": "1",
        **({} if found.get("database") else {GUESSED: "database"}),
        **({LOCATED: "schema"} if found.get("schema") else {}),
    }  # fmt: skip
