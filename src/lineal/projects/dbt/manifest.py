"""target/manifest.json: the nodes as dbt has compiled them. Only the few fields that are used are
looked at.

Nothing is taken for granted: a field that is missing or of another type is as if it said nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lineal.model.boundary import attempt_each
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.extraction import ColumnInfo
from lineal.model.plain import as_mapping, as_text, some_or_none
from lineal.model.reach import reach
from lineal.projects.dbt.compiled import restore_lines, without_ephemeral
from lineal.projects.dbt.consumers.assemble import Consumers
from lineal.projects.dbt.consumers.checks import UnitTest
from lineal.projects.dbt.consumers.semantic import SECTIONS, Entry
from lineal.projects.dbt.node import REFERABLE, DataTest, Node
from lineal.projects.dbt.places import Places
from lineal.projects.dbt.properties import known_labels
from lineal.projects.dbt.seed_columns import take_header
from lineal.projects.intake import current
from lineal.projects.lines import line_at
from lineal.projects.text import Report, peek_text, read_text

KNOWN = frozenset((9, 10, 11, 12, 20))
"""The versions that dbt 1.5 and newer write; 20 is that of dbt 2."""

VERSION = re.compile(r"/v(\d+)\.json")
INJECTED = "__dbt__cte__"
ASKS = "macro.dbt.is_incremental"
OWN_PACKAGES = re.compile(
    r"dbt(_(postgres|duckdb|snowflake|bigquery|redshift|spark|databricks|athena|trino|fabric))?\Z"
)


@dataclass(frozen=True)
class Manifest:
    """The contents of a manifest."""

    file: Path
    root: Path
    """The folder that paths are relative to."""
    adapter: str
    project: str
    nodes: list[Node]
    macros: list[tuple[str, str, str]]
    known: set[str] = field(default_factory=set)
    """All files that it knows of, those of disabled nodes included."""
    stale: list[str] = field(default_factory=list)
    """Files that are not as they were when it was made."""
    consumers: Consumers = field(default_factory=Consumers)


def read_manifest(file: Path, root: Path, report: Report, fallback: bool) -> Manifest | None:
    """None, and a diagnostic, if there is nothing to go by; `fallback` says that the files can be
    read instead.
    """
    data = _load_manifest(file, report)
    if data is None:
        return None

    metadata = as_mapping(data.get("metadata"))
    found = VERSION.search(str(metadata.get("dbt_schema_version")))
    version = int(found[1]) if found else 0
    if version not in KNOWN:
        said = f"version {version}" if version else "no version that is known"
        report(_manifest_diagnostic(file, f"the manifest has {said}"))
        if fallback:
            return None

    places = Places(root)
    nodes = [
        *_nodes(data, root, places, report),
        *_sources(data, root, places),
        *_exposures(data, root, places),
    ]
    stale = [node.file for node in nodes if _is_stale(node)]
    return Manifest(
        file=file,
        root=root,
        adapter=str(metadata.get("adapter_type") or ""),
        project=str(metadata.get("project_name") or next((node.package for node in nodes), "")),
        nodes=nodes,
        macros=list(_macros(data)),
        known={node.file for node in nodes} | {str(root / path) for path in _disabled_files(data)},
        stale=stale,
        consumers=Consumers(
            list(_tests(data, root, places)),
            list(_semantics(data, root, places)),
            list(_unit_tests(data, root, places)),
        ),
    )


def _load_manifest(file: Path, report: Report) -> dict[str, Any] | None:
    """Return the content of a manifest; None and a diagnostic if it cannot be read."""
    text = read_text(file, report)
    if text is None:
        return None

    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        current().mark_invalid(str(file))
        report(
            _manifest_diagnostic(
                file, f"the manifest is not valid JSON: {error.msg}", error.lineno, error.colno
            )
        )
        return None
    except RecursionError:
        report(_manifest_diagnostic(file, "the manifest nests too deeply"))
        return None

    if not isinstance(data, dict) or not isinstance(data.get("nodes"), dict):
        report(_manifest_diagnostic(file, "the manifest has no nodes"))
        return None

    return data


def _manifest_diagnostic(file: Path, message: str, line: int = 1, column: int = 1) -> Diagnostic:
    """Return a diagnostic about the manifest."""
    return Diagnostic(Code.MANIFEST, message, Place(str(file), line, column))


def _nodes(
    data: Mapping[str, object], root: Path, places: Places, report: Report
) -> Iterator[Node]:
    """Yield the models, seeds, snapshots and operations of a manifest."""
    asking = _macros_that_ask(as_mapping(data.get("macros")))
    ephemeral = {
        str(each.get("alias") or each.get("name"))
        for each in _entries(data, "nodes")
        if as_mapping(each.get("config")).get("materialized") == "ephemeral"
    }

    def read(each: dict[str, Any]) -> Node | None:
        """Return the node of one entry; None for kinds that are read elsewhere."""
        kind = each.get("resource_type")
        if kind in REFERABLE:
            return _compiled_node(each, str(kind), root, places, asking, ephemeral)

        if kind != "operation":
            return None

        node = _node(each, "operation", root, places)
        node.text = _code(each, "raw")
        return node

    def place_of(each: Mapping[str, object]) -> Place:
        """Return the place of an entry for messages."""
        return Place(_file(each, root, as_text(each.get("package_name"))), 1, 1)

    yield from attempt_each(_entries(data, "nodes"), read, place_of, report, "this node")


def _compiled_node(
    each: Mapping[str, object],
    kind: str,
    root: Path,
    places: Places,
    asking: set[str],
    ephemeral: set[str],
) -> Node:
    """A model, seed or snapshot with what dbt has compiled."""
    node = _node(each, kind, root, places)
    node.depends = _dependencies(each, "nodes")
    node.text = raw = _code(each, "raw")
    asks = "is_incremental" in raw or not asking.isdisjoint(_dependencies(each, "macros"))
    node.incremental = node.materialized == "incremental" and asks
    if kind == "snapshot":
        node.line = line_of_block(peek_text(Path(node.file)), raw)

    node.constraints = list(_constraints(each))
    for key in ("access", "group", "time_spine"):
        if each.get(key):
            node.config.setdefault(key, each[key])

    code = _code(each, "compiled")
    if code.strip() and not node.is_python:
        if INJECTED in code:
            code = without_ephemeral(code, ephemeral)

        node.compiled = restore_lines(code, raw)

    path = Path(node.file)
    if kind == "seed" and path.suffix == ".csv" and path.is_file():
        take_header(node, path, lambda _: None)

    return node


def _code(each: Mapping[str, Any], stage: str) -> str:
    """Return the `raw` or `compiled` text of an entry; manifests before dbt 1.3 call it SQL."""
    return as_text(each.get(f"{stage}_code") or each.get(f"{stage}_sql"))


def _dependencies(each: Mapping[str, object], kind: str) -> list[str]:
    """Return the ids of the `nodes` or `macros` that an entry depends on."""
    return list(map(str, as_mapping(each.get("depends_on")).get(kind) or ()))


def _tests(data: Mapping[str, object], root: Path, places: Places) -> Iterator[Node]:
    """Data tests, generic and singular; those that dbt has compiled have their SQL."""
    for each in _entries(data, "nodes"):
        if each.get("resource_type") != "test":
            continue

        node = _node({**each, "patch_path": None}, "test", root, places)
        node.relations = []
        about = as_mapping(each.get("test_metadata"))
        namespace = as_text(about.get("namespace"))
        name = as_text(about.get("name"))
        node.depends = _dependencies(each, "nodes")
        node.text = _code(each, "raw")
        code = _code(each, "compiled")
        node.compiled = code if code.strip() else None
        node.place = Place(node.file, 1, 1)
        attached = as_text(each.get("attached_node")) or (
            node.depends[-1] if name and node.depends else ""
        )
        if name:
            node.place = places.inner(
                node.file, attached.split("."), as_text(each.get("column_name"))
            )

        kwargs = as_mapping(about.get("kwargs")) if name else None
        column = as_text(each.get("column_name")) or as_text(as_mapping(kwargs).get("column_name"))
        node.test = DataTest(
            f"{namespace}.{name}" if namespace else name, kwargs, column, attached, node.place, True
        )
        node.name = name if name and name in node.name else node.name
        yield node


def _entries(data: Mapping[str, object], section: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of a section that have a name."""
    for id_, each in as_mapping(data.get(section)).items():
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            each.setdefault("unique_id", id_)
            yield each


def _node(each: Mapping[str, object], kind: str, root: Path, places: Places) -> Node:
    """Return the node of an entry with what all kinds have in common."""
    config = {
        key: value for key, value in as_mapping(each.get("config")).items() if value is not None
    }
    # a template that is rendered again gives its hooks as texts
    for key in ("pre-hook", "post-hook"):
        if key in config:
            config[key] = [
                as_text(hook.get("sql")) if isinstance(hook, dict) else hook
                for hook in some_or_none(config[key])
            ]

    name, package = str(each["name"]), as_text(each.get("package_name"))
    version = each.get("version")
    identifier = str(each.get("alias") or each.get("identifier") or name)
    node = Node(
        id=str(each["unique_id"]),
        kind=kind,
        package=package,
        name=name,
        file=_file(each, root, package),
        parts=(as_text(each.get("database")), as_text(each.get("schema")), identifier),
        config=config,
        columns=list(_columns(each)),
        description=as_text(each.get("description")).strip(),
        version="" if version is None else str(version),
        latest=version is not None and version == each.get("latest_version"),
    )
    node.relations = list(filter(None, [as_text(each.get("relation_name"))]))
    if config.get("materialized") == "ephemeral":
        node.relations += [INJECTED + name, INJECTED + identifier]

    patch = as_text(each.get("patch_path")).partition("://")[2]
    places.put(node, f"{kind}s", _path(patch, root, package) if patch else "")
    return node


def _file(each: Mapping[str, object], root: Path, package: str) -> str:
    """Return the path of an entry's file."""
    return _path(as_text(each.get("original_file_path")), root, package)


def _path(path: str, root: Path, package: str) -> str:
    """Below the project, or below the package that it belongs to; one that leads out of it is a
    name and no more.
    """
    path = path.replace("\\", "/")
    installed = root / "dbt_packages" / package / path
    if ".." in path.split("/"):
        return path

    return str(installed if package and installed.is_file() else root / path)


def _columns(each: Mapping[str, object]) -> Iterator[ColumnInfo]:
    """Yield the columns of an entry."""
    for name, column in as_mapping(each.get("columns")).items():
        said = as_mapping(column)
        inner = as_mapping(said.get("config"))
        meta = {**as_mapping(inner.get("meta")), **as_mapping(said.get("meta"))}
        tags = [
            str(tag).lower() for held in (said, inner) for tag in some_or_none(held.get("tags"))
        ]
        labels = tuple(dict.fromkeys(known_labels(meta, tags))) if meta or tags else ()
        kind, described = as_text(said.get("data_type")), as_text(said.get("description")).strip()
        inherits = as_mapping(meta.get("lineal")).get("inherit") is not False
        yield ColumnInfo(
            as_text(said.get("name")) or str(name), kind, described, labels, inherits=inherits
        )


def _sources(data: Mapping[str, object], root: Path, places: Places) -> Iterator[Node]:
    """Yield the sources of a manifest."""
    for each in _entries(data, "sources"):
        node = _node({**each, "alias": each.get("identifier")}, "source", root, places)
        node.name = f"{as_text(each.get('source_name'))}.{each['name']}"
        places.put_table(node, as_text(each.get("source_name")), str(each["name"]))
        yield node


def _exposures(data: Mapping[str, object], root: Path, places: Places) -> Iterator[Node]:
    """Yield the exposures of a manifest."""
    for each in _entries(data, "exposures"):
        node = _node(each, "exposure", root, places)
        places.put(node, "exposures", node.file)
        node.depends = _dependencies(each, "nodes")
        held = as_mapping(each.get("config")).get("meta") or each.get("meta")
        node.config["meta"] = as_mapping(held)
        yield node


def _semantics(data: Mapping[str, object], root: Path, places: Places) -> Iterator[Entry]:
    """Yield semantic models, metrics and saved queries; those within a model are a part of its
    YAML.
    """
    for kind, section in SECTIONS.items():
        for each in _entries(data, section):
            package, name = as_text(each.get("package_name")), str(each["name"])
            config = as_mapping(each.get("config"))
            if config.get("enabled") is False:
                continue

            about = places.value_of(each, section, name, _file(each, root, package))
            depends = tuple(_dependencies(each, "nodes"))
            yield Entry(kind, package, name, about, None, depends, str(each["unique_id"]))


def _unit_tests(data: Mapping[str, object], root: Path, places: Places) -> Iterator[UnitTest]:
    """Yield the unit tests of a manifest."""
    for each in _entries(data, "unit_tests"):
        package, name = as_text(each.get("package_name")), str(each["name"])
        about = places.value_of(each, "unit_tests", name, _file(each, root, package))
        yield UnitTest(package, about, {})


def _constraints(each: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    """Those of the model, and those of its columns with the column that they are about."""
    yield from map(as_mapping, some_or_none(each.get("constraints")))
    for name, column in as_mapping(each.get("columns")).items():
        for item in some_or_none(as_mapping(column).get("constraints")):
            yield {"columns": [name], **as_mapping(item)}


def _macros(data: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Those of the project and its packages; dbt's own we have in our own words."""
    for each in _entries(data, "macros"):
        package = as_text(each.get("package_name"))
        if not OWN_PACKAGES.match(package):
            yield package, as_text(each.get("original_file_path")), as_text(each.get("macro_sql"))


def _disabled_files(data: Mapping[str, object]) -> Iterator[str]:
    """Yield the files of disabled entries."""
    for several in as_mapping(data.get("disabled")).values():
        yield from (
            as_text(as_mapping(each).get("original_file_path")) for each in some_or_none(several)
        )


def _macros_that_ask(macros: Mapping[str, object]) -> set[str]:
    """The macros that ask is_incremental(), themselves or through others."""
    callers: dict[str, list[str]] = {}
    for id_, each in macros.items():
        for called in _dependencies(as_mapping(each), "macros"):
            callers.setdefault(called, []).append(id_)

    return {ASKS, *reach([ASKS], lambda macro: callers.get(macro, ()))}


def line_of_block(text: str, raw: str) -> int:
    """Return the line of a file on which the template of a snapshot starts: inside its block.

    {% snapshot orders_history %}      the text behind this tag
    """
    return line_at(text, max(text.find(raw), 0))


def _is_stale(node: Node) -> bool:
    """A model whose file has been edited since is read from its file."""
    if node.kind != "model" or not node.text:
        return False

    now = peek_text(Path(node.file))
    if not now or now.strip() == node.text.strip():
        return False

    node.text, node.compiled = now, None
    return True


def with_catalog(nodes: Iterable[Node], file: Path, report: Report) -> None:
    """target/catalog.json: every column that the database has, in order, with its type"""
    if not file.is_file():
        return

    text = read_text(file, report)
    try:
        data = as_mapping(json.loads(text or ""))
    except (json.JSONDecodeError, RecursionError):
        current().mark_invalid(str(file))
        report(
            Diagnostic(
                Code.MANIFEST,
                "the catalog is not valid JSON: it is left out",
                Place(str(file), 1, 1),
            )
        )
        return

    tables = {**as_mapping(data.get("nodes")), **as_mapping(data.get("sources"))}
    for node in nodes:
        columns = as_mapping(as_mapping(tables.get(node.id)).get("columns"))
        if columns:
            said = {column.name.lower(): column for column in node.columns}
            several = sorted(
                (as_mapping(each) | {"key": key} for key, each in columns.items()), key=_number
            )
            node.columns = [_cataloged_column(each, said) for each in several]
            node.complete = True


def _number(each: Mapping[str, Any]) -> int:
    """Return the position of a column in the catalog."""
    index = each.get("index")
    if isinstance(index, int):
        return index

    return 0


def _cataloged_column(each: Mapping[str, object], said: Mapping[str, ColumnInfo]) -> ColumnInfo:
    """Return a column as the catalog describes it; the manifest fills the gaps."""
    name, kind = as_text(each.get("name")) or str(each["key"]), as_text(each.get("type"))
    known = said.get(name.lower())
    if known is None:
        return ColumnInfo(name, kind, as_text(each.get("comment")))

    return known._replace(name=name, type=kind or known.type)
