"""dbt_project.yml: what a project is called, where its files are, and what it says of its nodes.

name: shop                              models:
profile: shop                             shop:
model-paths: [models]                       staging: {+materialized: view, +schema: stg}
vars: {start: 2020, dbt_utils: {x: 1}}  dispatch: [{macro_namespace: dbt_utils, search_order: [shop,
dbt_utils]}]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects import yaml
from lineal.projects.dbt.stamp import PROJECT_FILE
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
        """What the project says of its models, by folder."""
        value = self.about.get(kind)
        return value.plain() if value is not None and isinstance(value.data, dict) else {}


@dataclass(frozen=True)
class Project:
    """The root project and the packages it uses."""

    root: Package
    packages: list[Package] = field(default_factory=list)

    @property
    def all(self) -> list[Package]:
        return [self.root, *self.packages]

    @property
    def namespaces(self) -> dict[str, list[str]]:
        """Where macros of a package are looked for, if the project says so."""
        found = {}
        for each in self.root.about.listed("dispatch"):
            name = each.get("macro_namespace")
            if name is not None:
                found[name.raw] = [item.raw for item in each.listed("search_order")]
        return found

    def variables(self) -> dict[str, dict[str, Any]]:
        """By package: what the root project says comes first; '' is for all of them."""
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
            mine = own.get(package.name) if isinstance(own.get(package.name), dict) else {}
            given = said.get(package.name) if isinstance(said.get(package.name), dict) else {}
            found[package.name] = {**own, **(mine or {}), **everywhere, **(given or {})}
        return found


def read_project(folder: Path, report: Report) -> Project:
    root = read_package(folder, report)
    packages: dict[str, Package] = {}
    for path in package_folders(root, report):
        package = read_package(path, report)
        if package.name != root.name:
            packages.setdefault(package.name, package)
    return Project(root, list(packages.values()))


def read_package(folder: Path, report: Report) -> Package:
    file = folder / PROJECT_FILE
    about = yaml.read(file, report) or Value({}, Place(str(file), 1, 1))
    if about.data is not None and not isinstance(about.data, dict):
        report(about.unexpected("a mapping"))
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
    """model-paths: [models]; a folder outside of the project is not read."""
    keys, default = PATHS[kind]
    named = about.listed(*keys)
    if not named:
        both = [default, OLD_FOLDERS.get(kind, "")]
        return [root / name for name in both if name and (root / name).is_dir()]
    found = []
    for value in named:
        text = value.as_text(report)
        if not text:
            continue
        path = root / text
        if not path.resolve().is_relative_to(root.resolve()):
            message = f"{value.name}: {text} is outside of the project and not read"
            report(Diagnostic(Code.UNREADABLE, message, value.place))
        elif path.is_dir():
            found.append(path)
    return found


def package_folders(root: Package, report: Report) -> Iterator[Path]:
    """dbt_packages/*, and the local ones of packages.yml"""
    install = root.about.get("packages-install-path")
    for name in (install.raw if install is not None else "dbt_packages", "dbt_modules"):
        folder = root.folder / name
        if folder.is_dir():
            yield from (
                path for path in sorted(folder.iterdir()) if (path / PROJECT_FILE).is_file()
            )
    for name in ("packages.yml", "dependencies.yml"):
        file = root.folder / name
        value = yaml.read(file, lambda _: None) if file.is_file() else None
        for each in value.listed("packages") if value is not None else ():
            local = each.get("local")
            if local is not None and (root.folder / local.raw / PROJECT_FILE).is_file():
                yield root.folder / local.raw


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
        more = value if isinstance(value, list) else [value]
        found[key] = [*found.get(key, []), *more]
    else:
        found[key] = value
