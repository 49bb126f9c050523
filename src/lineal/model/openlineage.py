"""OpenLineage's names: how a dataset is called in an event, and which dataset an event means.

s3://lake/raw/orders      namespace s3://lake       name raw/orders
hdfs://nn:8020/raw        namespace hdfs://nn:8020  name /raw
/tmp/orders.csv           namespace file            name /tmp/orders.csv
public.orders             the project's namespace   name public.orders
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lineal.model.edge import Dataset
from lineal.model.late_pattern import late_pattern
from lineal.model.paths import path_name

URN = "urn:lineal"
"""Who produces events, and where the names of our own schemas begin: a name, not an address."""

NO_NAMESPACE = "default"
"""OpenLineage's name for the namespace of jobs that name none."""

FILE = "file"


class Settings(NamedTuple):
    """The settings of a project for its events."""

    job_namespace: str = ""
    namespaces: tuple[tuple[str, str], ...] = ()
    """the namespace of the datasets whose name begins so"""
    repository: str = ""
    """the address below which the project's files are"""


class Named(NamedTuple):
    """A dataset as events name it."""

    namespace: str
    name: str


STORES = {"s3": "", "gs": "", "wasbs": "", "kafka": "", "abfss": "/", "hdfs": "/", "dbfs": "/"}
"""Schemes of places that are datasets, and how the name within the store begins."""

LOCATED = late_pattern(rf"({'|'.join(STORES)}):(?://([^/]*))?/*(.*)", re.DOTALL)
STORE = late_pattern(rf"({'|'.join(STORES)})://[^/]*")

SPELLINGS = (
    (
        "arn:aws:glue:",
        late_pattern(r"([^./]+)\.([^./]+)"),
        r"table/\1/\2",
        late_pattern(r"table/([^./]+)/([^./]+)"),
    ),
    (
        "azurekusto://",
        late_pattern(r"([^./]+)\.([^./]+)"),
        r"\1/\2",
        late_pattern(r"([^./]+)/([^./]+)"),
    ),
)
"""Namespaces in which a table `a.b` is written otherwise: the form of the name, how it is written,
and how read.
"""


def event_name(
    dataset: Dataset,
    kind: str,
    namespace: str,
    prefixes: Sequence[tuple[str, str]] = (),
    home: str = "",
) -> Named:
    """Return the name of a dataset in events. `namespace` is for datasets without one; `prefixes`
    name it by schema.

    Datasets of the namespace `home`, which is the project's, are called as those without one.
    """
    place = _name_of_address(_join_name(dataset.namespace, dataset.name) or dataset.name)
    if place is not None:
        return place

    # Snowflake's stages belong to the database
    if kind == FILE and not dataset.name.startswith("@"):
        return Named(FILE, dataset.name)

    own = "" if dataset.namespace in (namespace, home) else dataset.namespace
    chosen = own or prefix_namespace(dataset.name, prefixes) or namespace or NO_NAMESPACE
    for start, plain, written, _ in SPELLINGS:
        if chosen.startswith(start) and plain.fullmatch(dataset.name):
            return Named(chosen, plain.sub(written, dataset.name))

    return Named(chosen, dataset.name)


def dataset_meant(namespace: str, name: str, kind: str = "") -> tuple[Dataset, str]:
    """The dataset that an event names, and its kind, which the event may tell."""
    place = _join_name(namespace, name)
    if place is not None:
        return Dataset("", place), kind or FILE

    if namespace == FILE and not kind and not name.startswith("@"):
        return Dataset("", name), FILE

    for start, _, _, written in SPELLINGS:
        if namespace.startswith(start) and written.fullmatch(name):
            return Dataset(namespace, written.sub(r"\1.\2", name)), kind or "table"

    return Dataset(namespace, name), kind or "table"


def _join_name(namespace: str, name: str) -> str | None:
    """Join a namespace and a name into one path.

    s3://lake and raw/orders      s3://lake/raw/orders
    """
    key = name.lstrip("/")
    if not STORE.fullmatch(namespace) or (not key and namespace.endswith("://")):
        return None

    store = namespace.removesuffix("//")  # dbfs:/mnt/x has no authority
    return _normalize_path(f"{store}/{key}" if key else store)


def _name_of_address(name: str) -> Named | None:
    """Return the name of a dataset that is an address, such as s3://bucket/key."""
    found = LOCATED.fullmatch(_normalize_path(name)) if ":/" in name else None
    if found is None:
        return None

    scheme, authority, key = found.groups()
    return Named(f"{scheme}://{authority or ''}", (STORES[scheme] + key) or "/")


def _normalize_path(path: str) -> str:
    """A path in its one spelling, however often it has to be cut for that."""
    for _ in range(len(path) + 1):
        shorter = path_name(path)
        if shorter == path:
            break

        path = shorter

    return path


def prefix_namespace(name: str, prefixes: Sequence[tuple[str, str]]) -> str:
    """The namespace of the longest prefix that the name begins with: `raw` for raw.orders."""
    fitting = [
        (prefix, space)
        for prefix, space in prefixes
        if name == prefix or name.startswith(f"{prefix}.")
    ]
    return max(fitting, key=lambda each: len(each[0]))[1] if fitting else ""
