"""dbt_project.yml: what a project is called, where its files are, and what it says of its nodes.

name: shop                              models:
profile: shop                             shop:
model-paths: [models]                       staging: {+materialized: view, +schema: stg}
vars: {start: 2020, dbt_utils: {x: 1}}  dispatch: [{macro_namespace: dbt_utils, search_order: [shop,
dbt_utils]}]
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.plain import as_mapping, one_or_more
from lineal.projects import yaml
from lineal.projects.dbt.stamp import PROJECT_FILE
from lineal.projects.ignore import repository_above
from lineal.projects.intake import current
from lineal.projects.text import Report
from lineal.projects.yaml import Value

PATHS = {
    "models": (("model-paths", "source-paths"), "models"),
    "seeds": (("seed-paths", "data-paths"), "seeds"),
    "snapshots": (("snapshot-paths",), "snapshots"),
    "macros": (("macro-paths",), "macros"),
    "tests": (("test-paths",), "tests"),
    "docs": (("docs-paths",), ""),
}
"""Kind of file, the keys that name its folders, and the folder where no key does. Earlier versions
said data-paths.
"""

OLD_FOLDERS = {"seeds": "data"}


@dataclass(frozen=True)
class Package:
    """A project, or a package that it has installed: both are folders with a dbt_project.yml."""

    name: str
    folder: Path
    file: Path
    paths: Mapping[str, list[Path]]
    about: Value
    variables: Mapping[str, Any]

    def tree(self, kind: str) -> Any:
        """Return the project's settings of its models, by folder."""
        return as_mapping(self.about.part(kind).plain())


NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Project:
    """The root project and the packages it uses."""

    root: Package
    packages: list[Package] = field(default_factory=list)

    @property
    def all(self) -> list[Package]:
        """Return the root package and its dependencies."""
        return [self.root, *self.packages]

    @property
    def namespaces(self) -> dict[str, list[str]]:
        """Where macros of a package are looked for, if the project says so."""
        found = {}
        for each in self.root.about.items_of("dispatch"):
            name = each.get("macro_namespace")
            if name is not None:
                found[name.raw] = [item.raw for item in each.items_of("search_order")]

        return found

    def variables(self, given_first: Mapping[str, Any] = NOTHING) -> dict[str, dict[str, Any]]:
        """By package: what --vars says comes first, then the root project; '' is for all of them."""
        said = self.root.variables
        names = {package.name for package in self.all}
        everywhere = {
            key: value
            for key, value in said.items()
            if key not in names or not isinstance(value, dict)
        }
        found: dict[str, dict[str, Any]] = {"": everywhere}
        for package in self.all:
            own = package.variables
            mine, given = as_mapping(own.get(package.name)), as_mapping(said.get(package.name))
            found[package.name] = {**own, **mine, **everywhere, **given}

        return {package: {**values, **given_first} for package, values in found.items()}


def read_project(folder: Path, report: Report) -> Project:
    """Read a project and its installed packages."""
    root = read_package(folder, report)
    packages: dict[str, Package] = {}
    for path in package_folders(root, report):
        package = read_package(path, report)
        if package.name != root.name:
            packages.setdefault(package.name, package)

    return Project(root, list(packages.values()))


def read_package(folder: Path, report: Report) -> Package:
    """Read the project file of a package."""
    file = folder / PROJECT_FILE
    about = yaml.read(file, report) or Value({}, Place(str(file), 1, 1))
    if about.data is not None and not isinstance(about.data, dict):
        report(about.report_unexpected("a mapping"))
        about = Value({}, about.place)

    return Package(
        name=about.text(report, "name") or folder.resolve().name,
        folder=folder,
        file=file,
        paths={kind: _folders(about, kind, folder, report) for kind in PATHS},
        about=about,
        variables={key: value.plain() for key, value in about.mapping(report, "vars").items()},
    )


def _folders(about: Value, kind: str, root: Path, report: Report) -> list[Path]:
    """model-paths: [models]; a folder outside the project is not read."""
    keys, default = PATHS[kind]
    named = about.items_of(*keys)
    if not named:
        both = [default, OLD_FOLDERS.get(kind, "")]
        return [root / name for name in both if name and (root / name).is_dir()]

    found = []
    for value in named:
        text = value.as_text(report)
        if not text:
            continue

        path = root / text
        if not is_in_repository(path, root):
            message = f"{value.name}: {text} is outside the repository and not read"
            report(Diagnostic(Code.UNREADABLE, message, value.place))
        elif path.is_dir():
            path = shortest(path, root)
            current().admit(path)
            found.append(path)

    return found


def is_in_repository(path: Path, project: Path) -> bool:
    """Tell whether a folder is in the project, or in the git repository or folder that is read."""
    real = path.resolve()
    if real.is_relative_to(project.resolve()) or current().contains(str(path)):
        return True

    top = repository_above(str(project.resolve()))
    return top is not None and real.is_relative_to(top)


def shortest(path: Path, project: Path) -> Path:
    """a/b/../../macros      macros, as it is seen from where the project is named"""
    if ".." not in path.parts:
        return path

    return Path(os.path.normpath(path))


def package_folders(root: Package, report: Report) -> Iterator[Path]:
    """dbt_packages/*, and the local ones of packages.yml"""
    install = root.about.part("packages-install-path")
    for name in (install.raw or "dbt_packages", "dbt_modules"):
        folder = root.folder / name
        if folder.is_dir():
            yield from (
                path for path in sorted(folder.iterdir()) if (path / PROJECT_FILE).is_file()
            )

    for path in local_folders(root.folder):
        current().admit(path)
        yield path


PACKAGE_FILES = ("packages.yml", "dependencies.yml")


def asked_packages(folder: Path) -> Iterator[Value]:
    """Yield the entries of packages.yml and dependencies.yml."""
    for name in PACKAGE_FILES:
        file = folder / name
        if file.is_file():
            value = yaml.read(file, lambda _: None) or yaml.NOTHING
            yield from value.items_of("packages")


def local_folders(folder: Path) -> Iterator[Path]:
    """packages: [{local: ../shared}]"""
    for each in asked_packages(folder):
        local = each.get("local")
        if local is not None and (folder / local.raw / PROJECT_FILE).is_file():
            yield shortest(folder / local.raw, folder)


def missing_packages(project: Project) -> list[str]:
    """Return the packages that the project asks for and that are not installed, by their names."""
    installed = {package.name for package in project.packages}
    installed |= {package.folder.name for package in project.packages}
    found = []
    for each in asked_packages(project.root.folder):
        said = each.get("package", "git", "tarball")
        if said is not None:
            name = said.raw.rstrip("/").rpartition("/")[2].removesuffix(".git")
            if name not in installed and name.replace("-", "_") not in installed:
                found.append(name)

    return list(dict.fromkeys(found))


def settings(tree: Any, path: list[str]) -> dict[str, Any]:
    """{shop: {staging: {+schema: stg}}}, [shop, staging, orders]

    what holds there; the nearest wins
    """
    found: dict[str, Any] = {}
    here = tree
    for step in [None, *path]:
        if step is not None:
            here = here.get(step)

        if not isinstance(here, dict):
            break

        for key, value in here.items():
            if key.startswith("+"):
                _set(found, key[1:], value)
            elif not isinstance(value, dict):
                _set(found, key, value)

    return found


ADDED = frozenset(("pre-hook", "post-hook", "pre_hook", "post_hook", "tags"))


def _set(found: dict[str, Any], key: str, value: Any) -> None:
    """Hooks and tags add up, everything else is replaced."""
    if key in ADDED:
        key = key.replace("_", "-")
        found[key] = [*found.get(key, []), *one_or_more(value)]
    else:
        found[key] = value
