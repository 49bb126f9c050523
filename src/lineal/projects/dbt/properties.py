"""The YAML files next to models: descriptions, columns, configurations, sources, exposures, with
their places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lineal.model import names
from lineal.model.boundary import attempt
from lineal.model.extraction import ColumnInfo
from lineal.model.plain import as_mapping, one_or_more
from lineal.projects import yaml
from lineal.projects.columns import TYPE_KEYS, inherit_setting, labels, name_of, pairs
from lineal.projects.text import Report, read_text, start_of
from lineal.projects.yaml import Value

KINDS = (
    "models", "seeds", "snapshots", "sources", "exposures", "semantic_models", "metrics", "saved_queries", "unit_tests",
)  # fmt: skip
DOC_CALL = re.compile(
    r"\{\{\s*doc\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]([^'\"]+)['\"]\s*\)\s*\}\}"
)
DOC_BLOCK = re.compile(r"\{%-?\s*docs\s+(\w+)\s*-?%\}(.*?)\{%-?\s*enddocs\s*-?%\}", re.S)

LABELS = frozenset(
    (
        "pii",
        "phi",
        "pci",
        "gdpr",
        "sensitive",
        "internal",
        "confidential",
        "restricted",
        "secret",
        "personal",
        "public",
    )
)
"""Tags and true values of `meta:` that say how a column may be shown."""

Doc = Callable[[str], str]


@dataclass
class Properties:
    """The properties in the YAML files of a package, by kind and name."""

    models: dict[str, Value] = field(default_factory=dict)
    seeds: dict[str, Value] = field(default_factory=dict)
    snapshots: dict[str, Value] = field(default_factory=dict)
    sources: list[Value] = field(default_factory=list)
    exposures: list[Value] = field(default_factory=list)
    docs: dict[str, str] = field(default_factory=dict)
    semantic_models: list[Value] = field(default_factory=list)
    metrics: list[Value] = field(default_factory=list)
    saved_queries: list[Value] = field(default_factory=list)
    unit_tests: list[Value] = field(default_factory=list)

    def of_seed(self, name: str) -> Value | None:
        """Return the YAML entry of a seed; dbt also takes one that is listed among the models."""
        return self.seeds.get(name) or self.models.get(name)

    def description_of(self, value: Value, report: Report) -> str:
        """Return the description of a node, with its docs blocks filled in."""
        return self.doc(value.text(report, "description"))

    def doc(self, text: str) -> str:
        """{{ doc('status') }}      the text of that block"""
        if "{{" not in text:
            return text

        return DOC_CALL.sub(lambda found: self.docs.get(found[1], found[0]), text).strip()


def read_properties(files: list[Path], report: Report) -> Properties:
    """Read all property files."""
    found = Properties()
    for file in files:
        attempt(partial(_read_into, found, file, report), None, start_of(file), report, "this file")

    return found


def _read_into(found: Properties, file: Path, report: Report) -> None:
    """Add the properties of one YAML file."""
    value = yaml.read(file, report) or yaml.NOTHING
    for kind in KINDS:
        for item in _items(value, kind, report):
            _keep(found, kind, item, report)


def _items(value: Value, kind: str, report: Report) -> Iterator[Value]:
    """Yield the items of a section; anything that is not a mapping is reported."""
    section = value.get(kind)
    if section is None:
        return

    if not isinstance(section.data, list):
        report(section.report_unexpected(f"a list of {kind}"))
        return

    for item in section.data:
        if isinstance(item.data, dict):
            yield item
        elif item.data is not None:
            report(item.report_unexpected("a mapping"))


def _keep(found: Properties, kind: str, item: Value, report: Report) -> None:
    """Keep an item under its kind; the first of a name wins."""
    held: Any = getattr(found, kind)
    if isinstance(held, list):
        held.append(item)
    elif name := name_of(item, report):
        held.setdefault(name, item)


def read_docs(files: list[Path], report: Report) -> dict[str, str]:
    """{% docs status %} … {% enddocs %}"""
    texts = (read_text(file, lambda _: None) or "" for file in files)
    return {name: body.strip() for text in texts for name, body in DOC_BLOCK.findall(text)}


def read_columns(value: Value | None, doc: Doc, report: Report) -> list[ColumnInfo]:
    """columns: [{name: id, data_type: int, description: …, meta: {pii: true}, tags: [sensitive]}]"""
    columns: dict[str, ColumnInfo] = {}
    for name, column in pairs(value, report) if value is not None else ():
        found = ColumnInfo(
            name,
            column.text(report, *TYPE_KEYS),
            doc(column.text(report, "description")),
            classification(column, report),
            column.known_place,
            inherits=inherit_setting(column, "inherit", report) is not False,
        )
        columns.setdefault(names.insensitive(name, False), found)

    return list(columns.values())


def classification(column: Value, report: Report) -> tuple[str, ...]:
    """classification: pii, meta: {classification: pii}, meta: {contains_pii: true}, tags: [pii];
    also under config:
    """
    found: list[str] = []
    for value in (column, column.part("config")):
        found += labels(value.items_of("classification"), report)
        tags = [tag.raw.lower() for tag in value.items_of("tags")]
        found += known_labels(value.part("meta").plain(), tags)

    return tuple(dict.fromkeys(found))


def known_labels(meta: object, tags: list[str]) -> list[str]:
    """Return the classification labels of tags and meta entries."""
    found = [tag for tag in tags if tag in LABELS]
    for key, value in as_mapping(meta).items():
        if key in ("classification", "data_classification", "sensitivity"):
            found += [str(each).lower() for each in one_or_more(value) if each]

        label = str(key).lower().removeprefix("contains_").removeprefix("is_")
        if label in LABELS and value in (True, "true", "yes", "True"):
            found.append(label)

    return found
