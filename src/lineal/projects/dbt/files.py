"""The nodes of a project as its files tell them: nothing has been compiled, and no manifest is
there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.extraction import ColumnInfo
from lineal.model.ledger import Reason
from lineal.model.plain import as_list, as_mapping, as_text
from lineal.model.sequences import flatten, second_of_each
from lineal.projects.columns import name_of
from lineal.projects.dbt.node import AGAIN, Node, Parts, is_enabled
from lineal.projects.dbt.project import Package, Project, settings
from lineal.projects.dbt.properties import Properties, read_columns, read_docs, read_properties
from lineal.projects.dbt.seed_columns import take_header
from lineal.projects.dbt.static import config_of_call
from lineal.projects.intake import current, walk
from lineal.projects.text import Report, read_text, start_of
from lineal.projects.yaml import NOTHING, Value

YAML = (".yml", ".yaml")
SNAPSHOT = re.compile(r"\{%-?\s*snapshot\s+(\w+)\s*-?%\}(.*?)\{%-?\s*endsnapshot\s*-?%\}", re.S)

USUALLY = {".py": "table"}
"""How a model is built that does not say so: a Python model cannot be a view."""

Evaluate = Mapping[str, Any]
"""Jinja in YAML, by its text, rendered."""


@dataclass(frozen=True)
class Reader:
    """The state that reading the nodes of a package needs."""

    package: Package
    project: Project
    target: Mapping[str, str]
    values: Evaluate
    properties: Properties
    report: Report

    def settings(self, kind: str, path: list[str]) -> dict[str, Any]:
        """Return the settings of a node in dbt_project.yml: of the package, then of the root
        project.
        """
        found: dict[str, Any] = {}
        for package in (self.package, self.project.root):
            found |= settings(package.tree(kind), [self.package.name, *path])

        return {key: self.value(item) if "hook" not in key else item for key, item in found.items()}

    def value(self, item: Any) -> Any:
        """Return a value of YAML with its templates rendered."""
        if isinstance(item, dict):
            return {key: self.value(each) for key, each in item.items()}

        if isinstance(item, list):
            return list(map(self.value, item))

        if isinstance(item, str):
            return self.values.get(item.strip(), item)

        return item

    def parts(self, config: Mapping[str, Any], name: str) -> Parts:
        """Return database, schema and name of a relation."""
        database = str(
            config.get("target_database") or config.get("database") or self.target["database"]
        )
        custom = config.get("schema")
        schema = f"{self.target['schema']}_{custom}" if custom else self.target["schema"]
        schema = str(config.get("target_schema") or schema)
        return database, schema, str(config.get("alias") or name)


def jinja_in(package: Package, properties: Properties) -> Iterator[str]:
    """Values of YAML that are templates: +enabled: "{{ var('x') }}", schema: "{{ target.schema }}" """
    for kind in ("models", "seeds", "snapshots", "sources"):
        yield from _templates(package.tree(kind))

    for source in properties.sources:
        for value in (source, *source.items_of("tables")):
            for key in ("schema", "database", "identifier", "config", "enabled"):
                yield from _templates(value.part(key).plain())

    for value in (
        *properties.models.values(),
        *properties.seeds.values(),
        *properties.snapshots.values(),
    ):
        yield from _templates(value.part("config").plain())


def _templates(data: object) -> Iterator[str]:
    """Yield the texts with Jinja in a YAML value; hooks are left out."""
    for key, value in as_mapping(data).items():
        if "hook" not in key:
            yield from _templates(value)

    for value in as_list(data):
        yield from _templates(value)

    text = as_text(data)
    if "{{" in text or "{%" in text:
        yield text.strip()


PROPERTY_KINDS = ("models", "seeds", "snapshots", "macros", "tests")
"""dbt reads YAML next to every kind of file: a project may list all its tests below tests/."""


def properties_of(package: Package, report: Report) -> Properties:
    """Return the properties and docs of a package."""
    folders = flatten(package.paths[kind] for kind in PROPERTY_KINDS)
    found = read_properties(list(files_below(folders, YAML, report)), report)
    everywhere = [*folders, *package.paths["docs"]]
    found.docs = read_docs(list(files_below(everywhere, (".md",), report)), report)
    return found


def files_below(folders: list[Path], suffixes: tuple[str, ...], report: Report) -> Iterator[Path]:
    """The files below these folders, sorted and each once; links to folders are not followed."""
    seen: set[str] = set()
    for folder in folders:
        for where, names in walk(folder, report):
            for name in names:
                path = where / name
                if not is_wanted(name, suffixes) or str(path) in seen:
                    continue

                seen.add(str(path))
                yield path


def is_wanted(name: str, suffixes: tuple[str, ...]) -> bool:
    """Tell whether a file has one of these suffixes; hidden files do not count."""
    return name.lower().endswith(suffixes) and not name.startswith(".")


def nodes_of(reader: Reader) -> Iterator[Node]:
    """Yield every node of a package."""
    yield from models_of(reader)
    yield from seeds_of(reader)
    yield from snapshots_of(reader)
    yield from sources_of(reader)
    yield from exposures_of(reader)
    yield from operations_of(reader)


def operations_of(reader: Reader) -> Iterator[Node]:
    """on-run-start: ["create function …"]      statements of the project itself"""
    package = reader.package
    for key in ("on-run-start", "on-run-end"):
        for number, hook in enumerate(package.about.items_of(key)):
            text = hook.as_text(reader.report)
            node = Node(
                f"operation.{package.name}.{key}-{number}",
                "operation",
                package.name,
                key,
                str(package.file),
            )
            node.text, node.line = text, hook.text_line
            yield node


def fqn(path: Path, folders: list[Path]) -> list[str]:
    """models/staging/orders.sql      [staging, orders]"""
    for folder in folders:
        if path.is_relative_to(folder):
            return [*path.relative_to(folder).parts[:-1], path.stem]

    return [path.stem]


def models_of(reader: Reader) -> Iterator[Node]:
    """Yield the models of a package."""
    package, report = reader.package, reader.report
    versions = {
        file: found
        for value in reader.properties.models.values()
        for file, found in versions_of(value)
    }

    def read(path: Path) -> Node | None:
        """Read one file of models/ as a node."""
        text = read_text(path, report)
        if text is None or (path.suffix == ".py" and "def model(" not in text):
            return None

        name, version, latest = versions.get(path.stem, (path.stem, "", False))
        node = build_node(
            reader, "model", name, path, text, reader.properties.models.get(name), version
        )
        node.latest = latest
        return only_enabled(node)

    paths = files_below(package.paths["models"], (".sql", ".py"), report)
    yield from attempt_each(paths, read, start_of, report, "this model")


def only_enabled(node: Node) -> Node | None:
    """Return the node; a disabled one is counted as left out, and None."""
    if is_enabled(node):
        return node

    current().pass_over(node.file, Reason.DISABLED)
    return None


def versions_of(value: Value) -> Iterator[tuple[str, tuple[str, str, bool]]]:
    """versions: [{v: 1}, {v: 2, defined_in: new}]

    the file of each, and whether it is the latest
    """
    listed = [
        (each, told.raw)
        for each in value.items_of("versions")
        if (told := each.get("v")) is not None
    ]
    name = value.get("name")
    if not listed or name is None:
        return

    newest = value.get("latest_version")
    latest = (
        newest.raw if newest is not None else max(second_of_each(listed), key=lambda v: (len(v), v))
    )
    for each, v in listed:
        defined = each.get("defined_in")
        for file in (
            (defined.raw,) if defined is not None else (f"{name.raw}_v{v}", f"{name.raw}.v{v}")
        ):
            yield file, (name.raw, v, v == latest)


def build_node(
    reader: Reader,
    kind: str,
    name: str,
    path: Path,
    text: str,
    about: Value | None,
    version: str = "",
) -> Node:
    """A node with what dbt_project.yml and its YAML say of it; its own config() is heard when it is
    rendered.
    """
    package = reader.package
    kinds = f"{kind}s"
    inner = fqn(path, package.paths[kinds])
    config = reader.settings(kinds, inner)
    versioned = version_of(about, version) if about is not None and version else None
    for value in filter(None, (about, versioned)):
        take_config(config, value, reader)

    config |= config_of_call(text)
    columns = _columns(about, versioned, reader)
    return Node(
        id=f"{kind}.{package.name}.{name}" + (f".v{version}" if version else ""),
        kind=kind,
        package=package.name,
        name=name,
        file=str(path),
        parts=reader.parts(config, f"{name}_v{version}" if version else name),
        text=text,
        config={
            "materialized": USUALLY.get(path.suffix, "view") if kind == "model" else kind,
            **config,
        },
        columns=columns,
        description=reader.properties.description_of(about, reader.report)
        if about is not None
        else "",
        place=about.place if about is not None else Place(str(path), 1, 1),
        version=version,
        fqn=[package.name, *inner],
        constraints=list(constraints_in(about)) if about is not None else [],
        about=versioned
        if versioned is not None and versioned.get("tests", "data_tests") is not None
        else about,
    )


def take_config(config: dict[str, Any], value: Value, reader: Reader) -> None:
    """Add what the YAML of a node says of its configuration: config, meta, access, group."""
    for key, item in value.part("config").entries.items():
        config[key.replace("_hook", "-hook")] = reader.value(item.plain())

    meta = value.mapping(reader.report, "meta")
    if meta:
        config["meta"] = as_mapping(config.get("meta")) | Value(meta).plain()

    for key in ("access", "group", "time_spine"):
        told = value.get(key)
        if told is not None:
            config[key] = told.plain()


def constraints_in(about: Value) -> Iterator[dict[str, Any]]:
    """Those of the model, and those of its columns with the column that they are about."""
    for value in about.items_of("constraints"):
        yield as_mapping(value.plain())

    for column in about.items_of("columns"):
        name = column.get("name")
        if name is not None:
            for value in column.items_of("constraints"):
                yield {"columns": [name.raw], **as_mapping(value.plain())}


def version_of(about: Value, version: str) -> Value | None:
    """Return the entry of a version."""
    several = about.items_of("versions")
    return next(
        (each for each in several if (v := each.get("v")) is not None and v.raw == version), None
    )


def _columns(about: Value | None, versioned: Value | None, reader: Reader) -> list[ColumnInfo]:
    """Return the columns of a model; a version may add to them and exclude some."""
    if about is None:
        return []

    found = read_columns(about.get("columns"), reader.properties.doc, reader.report)
    own = (versioned or NOTHING).part("columns")
    if not isinstance(own.data, list):
        return found

    gone = {item.raw for each in own.items for item in each.items_of("exclude")}
    listed = [each for each in own.items if each.get("name") is not None]
    mine = read_columns(Value(listed, own.place, own.name), reader.properties.doc, reader.report)
    names = {column.name for column in mine}
    inherits = any(each.get("include") is not None for each in own.items)
    kept = [column for column in found if column.name not in gone | names] if inherits else []
    return [*kept, *mine]


def seeds_of(reader: Reader) -> Iterator[Node]:
    """seeds/countries.csv      its columns are those of its header; YAML says more of them"""

    def read(path: Path) -> Node | None:
        """Read one CSV file as a node."""
        node = build_node(reader, "seed", path.stem, path, "", reader.properties.of_seed(path.stem))
        if only_enabled(node) is None:
            return None

        take_header(node, path, reader.report)
        return node

    paths = files_below(reader.package.paths["seeds"], (".csv",), reader.report)
    yield from attempt_each(paths, read, start_of, reader.report, "this seed")


def snapshots_of(reader: Reader) -> Iterator[Node]:
    """{% snapshot orders_history %} … {% endsnapshot %}, and snapshots: [{name: …, relation:
    ref('orders')}]
    """
    package, properties = reader.package, reader.properties
    seen: set[str] = set()

    def read(path: Path, report: Report) -> list[Node]:
        """Return the enabled snapshots of one file."""
        text = read_text(path, report) or ""
        found = []
        for block in SNAPSHOT.finditer(text) if "endsnapshot" in text else ():
            node = build_node(
                reader, "snapshot", block[1], path, block[2], properties.snapshots.get(block[1])
            )
            node.line = text.count("\n", 0, block.start(2)) + 1
            seen.add(block[1])
            found.append(node)

        return list(filter(is_enabled, found))

    # of models it has been told
    for kind, report in (("snapshots", reader.report), ("models", report_nothing)):
        paths = files_below(package.paths[kind], (".sql",), report)
        for several in attempt_each(
            paths, partial(read, report=report), start_of, report, "this snapshot"
        ):
            yield from several

    for name, about in properties.snapshots.items():
        relation = about.get("relation")
        if relation is not None and name not in seen:
            call = relation.raw.strip().removeprefix("{{").removesuffix("}}")
            text = f"select * from {{{{ {call} }}}}"  # noqa: S608  a template
            yield build_node(reader, "snapshot", name, Path(about.place.file), text, about)


def report_nothing(diagnostic: Diagnostic) -> None:
    """Somebody else has told it."""


def sources_of(reader: Reader) -> Iterator[Node]:
    """sources: [{name: raw, schema: shop, tables: [{name: orders, columns: […]}]}]"""
    report, package = reader.report, reader.package
    for source in reader.properties.sources:
        name = name_of(source, report)
        if not name:
            continue

        for table in source.items_of("tables"):
            if (short := name_of(table, report)) and _is_enabled(
                reader, source, table, name, short
            ):
                yield _source(reader, source, table, name, short, package)


def _source(
    reader: Reader, source: Value, table: Value, name: str, short: str, package: Package
) -> Node:
    """Return the node of one table of a source."""
    report = reader.report

    def text_under(key: str, default: str) -> str:
        """Return a text of the source or table, with its template rendered."""
        text = source.text(report, key) if key != "identifier" else table.text(report, key)
        return str(reader.value(text) or default)

    inner = table if table.is_mapping else Value({}, table.place)
    return Node(
        id=f"source.{package.name}.{name}.{short}",
        kind="source",
        package=package.name,
        name=f"{name}.{short}",
        file=source.place.file,
        parts=(
            text_under("database", reader.target["database"]),
            text_under("schema", name),
            text_under("identifier", short),
        ),
        columns=read_columns(inner.get("columns"), reader.properties.doc, report),
        description=reader.properties.description_of(inner, report),
        place=table.place,
        about=inner,
    )


def _is_enabled(reader: Reader, source: Value, table: Value, name: str, short: str) -> bool:
    """Tell whether a source is enabled, by the project's settings and its own."""
    folders = reader.package.paths["models"]
    path = fqn(Path(source.place.file), folders)[:-1]
    found = reader.settings("sources", [*path, name, short]).get("enabled", True)
    for value in (source, source.part("config"), table, table.part("config")):
        told = value.get("enabled")
        if told is not None:
            found = reader.value(told.data)

    return found is not False


def exposures_of(reader: Reader) -> Iterator[Node]:
    """exposures: [{name: weekly, depends_on: [ref('orders'), source('raw', 'x')]}]"""
    report, package = reader.report, reader.package
    for exposure in reader.properties.exposures:
        name = name_of(exposure, report)
        config = exposure.part("config")
        if not name or config.part("enabled").data is False:
            continue

        node = Node(
            id=f"exposure.{package.name}.{name}", kind="exposure", package=package.name, name=name,
            file=exposure.place.file, place=exposure.place,
            description=reader.properties.description_of(exposure, report),
        )  # fmt: skip
        node.depends = [each.as_text(report) for each in exposure.items_of("depends_on")]
        told = config.get("meta") or exposure.get("meta")
        if told is not None:
            node.config["meta"] = as_mapping(told.plain())

        yield node


def tell_twins_apart(nodes: list[Node]) -> list[Node]:
    """Two files of one name: at most one of them is enabled, and which one, some tell only when
    they are rendered.
    """
    met: dict[str, int] = {}
    for node in nodes:
        met[node.id] = number = met.get(node.id, 0) + 1
        if number > 1:
            node.id = f"{node.id}{AGAIN}{number}"

    return [
        node for node in nodes if node.kind not in ("source", "exposure") or AGAIN not in node.id
    ]
