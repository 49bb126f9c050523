"""Shared parts of the store's commands: which store, whose lineage, and errors in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lineal.cli.source import Mistake, mistakes_of, shown_path

if TYPE_CHECKING:
    from lineal.model.edge import Column, Dataset
    from lineal.model.extraction import Extraction
    from lineal.store.lineage import Store
    from lineal.store.lineage.load import Change

DEFAULT = "lineal.store.db"
WAIT = 60.0

Command = TypeVar("Command", bound=Callable[..., Any])


def store_options(command: Command) -> Command:
    """--store, --namespace and --wait"""
    for option in (WAITING, NAMESPACE, STORE):
        command = option(command)

    return command


STORE = click.option(
    "--store",
    "address",
    metavar="STORE",
    envvar="LINEAL_STORE",
    default=DEFAULT,
    help=f"A file, or postgresql://user@host/database.  [default: $LINEAL_STORE, else {DEFAULT}]",
)
NAMESPACE = click.option(
    "--namespace",
    metavar="NAME",
    help="The namespace of the lineage, such as acme/shop.  [default: the only one in the store]",
)
WAITING = click.option(
    "--wait",
    type=click.FloatRange(min=0, max=86_400),
    default=WAIT,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait while another process writes.",
)
AT = click.option(
    "--at",
    metavar="TIME",
    help="Query the lineage of that time: 2026-11-16, 2026-11-16T09:30 (UTC unless it has an offset).",
)


@contextmanager
def open_store_at(address: str, wait: float, *, create: bool = False) -> Iterator[Store]:
    """Yield the store, and close it at the end; an error of the store is one line."""
    from lineal.store.errors import StoreError
    from lineal.store.lineage import open_store

    try:
        with open_store(address, create=create, wait=wait) as store:
            yield store
    except StoreError as problem:
        raise Mistake(str(problem)) from problem


def choose_namespace(store: Store, namespace: str | None) -> str:
    """The namespace that is named, or the only one."""
    if namespace is not None:
        return namespace

    known = store.namespaces()
    if len(known) != 1:
        many = (
            f"has several: name one of {', '.join(known)}"
            if known
            else "has no lineage yet: `lineal store load`"
        )
        raise Mistake(f"store {store.name} {many}{' with --namespace' if known else ''}")

    return known[0]


def named_after(path: str) -> str:
    """Return the namespace for the lineage of a path: the project's folder, or the file."""
    if "://" in path:
        return shown_path(path).rpartition("/")[2] or "default"

    where = Path(path).resolve()
    name = where.name if where.is_dir() else where.name.partition(".")[0]
    if path != "-" and name:
        return name

    return "default"


def find_in_store(store: Store, namespace: str, text: str, at: str | None) -> Column | Dataset:
    """The dataset or column that somebody typed; of the store only what the name may mean is read."""
    from lineal.graph.graph import Graph, UnknownName
    from lineal.model.extraction import Extraction

    with mistakes_of(UnknownName):
        return Graph(Extraction(datasets=store.datasets_named(namespace, text, at))).find(text)


def load_sound(store: Store, namespace: str, extraction: Extraction, source: str) -> Change:
    """Load what can be kept; what cannot is found in a store that nobody keeps, and left out."""
    from lineal.graph.boundary import shown_part, sound_part
    from lineal.model.boundary import let_pass
    from lineal.store.lineage import open_store

    failed = extraction.failures.count
    try:
        change = store.load(namespace, extraction, source=source)
        if extraction.failures.count != failed:  # what it says of failures was said too early
            store.load(namespace, extraction, source=source)

        return change
    except Exception as error:
        let_pass(error)

    def is_loadable(part: Extraction) -> bool:
        """Try to load a part of the lineage into an empty store."""
        with TemporaryDirectory() as folder, open_store(f"{folder}/trial.db", create=True) as trial:
            trial.load(namespace, part, source=source)

        return True

    sound_part(extraction, is_loadable)
    return store.load(namespace, shown_part(extraction, extraction.failures), source=source)
