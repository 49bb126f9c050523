"""Where tables live: a folder of parquet files by default, or any catalog that Spark is
configured for.

    <warehouse>/<table>/<version>/part-*.parquet      the table; a new version is written next to the
    old one
    <warehouse>/state.json                            which version stands

A version becomes the table when the state names it; the old one is deleted after that. So a kill at
any moment leaves the old table or the new one, and nothing that a reader has open is changed under
its hands.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote
from uuid import uuid4

from lineal.model.sequences import positions_of
from lineal.spark.names import column, quote_name
from lineal.spark.run.incremental import REPLACE, Growth, align_columns
from lineal.spark.run.jobs import key_of
from lineal.spark.run.state import Entry, State

DONE = "_SUCCESS"
SCRATCH = ".scratch"

CATALOGUES = ("spark.sql.catalog.", "spark.sql.defaultCatalog", "spark.sql.catalogImplementation")
"""Settings that say where tables live: with one of them the catalog keeps the tables, not the
folder.
"""


def has_catalog(conf: Iterable[str]) -> bool:
    """Tell whether the Spark settings name a catalog."""
    return any(key.startswith(CATALOGUES) for key in conf)


class Tables(Protocol):
    """Where tables live."""

    def open(self, keys: Iterable[str]) -> list[str]:
        """Register the finished tables; half-written ones are forgotten, and returned by name."""

    def stands(self, name: str) -> bool:
        """Tell whether there is such a table or view."""

    def replace(self, name: str, frame: Any) -> Entry:
        """The rows of a frame are the table from now on."""

    def extend(self, name: str, frame: Any, growth: Growth) -> Entry:
        """Add rows, as the model says."""

    def view(self, name: str, statement: Callable[[str], str], sql: str) -> Entry:
        """A query is the view from now on."""

    def register(self, entry: Entry) -> None:
        """Spark knows this version under its name."""

    def settle(self, entry: Entry, before: Entry | None) -> None:
        """The state names the new version: the old one can go."""

    def close(self) -> None:
        """Leave nothing behind but the tables."""

    def scratch(self) -> Path:
        """A fresh folder for temporary files."""


class Folder:
    """Parquet files in a folder, known to Spark through a catalog in memory."""

    def __init__(self, folder: Path, state: State, spark: Any) -> None:
        self.given = folder
        self.folder = folder.absolute()
        self.state = state
        self.spark = spark
        self.known: dict[str, tuple[str, str]] = {}
        """key → the name and whether it is a TABLE or a VIEW, as the catalog has it"""

    # -- tables that are there ---------------------------------------------------------------------

    def open(self, keys: Iterable[str]) -> list[str]:
        """Register what earlier runs left; return the names that are broken."""
        self.state.read()
        broken = [entry.name for entry in self.state.entries.values() if not self.whole(entry)]
        if broken:
            self.state.drop(*map(key_of, broken))

        self.sweep()
        order = positions_of(keys)
        entries = sorted(
            self.state.entries.items(), key=lambda item: order.get(item[0], len(order))
        )
        views = [entry for _, entry in entries if entry.sql]
        for _, entry in entries:
            if not entry.sql:
                self.register(entry)

        self.register_views(views)
        return broken

    def whole(self, entry: Entry) -> bool:
        """Tell whether all files of a table are there in full length."""
        if entry.sql:
            return True

        folder = self.place(entry.name, entry.version)
        return (folder / DONE).is_file() and sizes(folder) == entry.files

    def register_views(self, views: list[Entry]) -> None:
        """A view may read another one: those that fail are tried again as long as some succeed."""
        while views:
            failed = [entry for entry in views if not self.register_view(entry)]
            if len(failed) == len(views):
                return

            views = failed

    def register_view(self, entry: Entry) -> bool:
        """Create a view again; tell whether that was possible."""
        try:
            self.make_view(
                entry.name, f"CREATE OR REPLACE VIEW {quote_name(entry.name)} AS\n{entry.sql}"
            )
        except Exception:  # its tables are gone: it is built again, or whoever reads it says so
            return False

        return True

    def stands(self, name: str) -> bool:
        """Tell whether a table or view of that name is there."""
        return key_of(name) in self.known

    def sweep(self) -> None:
        """Remove what a killed run has left: versions that the state does not name."""
        shutil.rmtree(self.folder / SCRATCH, ignore_errors=True)
        named = {
            self.place(entry.name, entry.version)
            for entry in self.state.entries.values()
            if not entry.sql
        }
        for version in self.versions():
            if version not in named:
                shutil.rmtree(version, ignore_errors=True)

    def versions(self) -> Iterator[Path]:
        """Yield the folder of every version of every table."""
        for table in sorted(self.folder.iterdir()):
            if table.is_dir() and not table.is_symlink() and not table.name.startswith("."):
                yield from (version for version in sorted(table.iterdir()) if version.is_dir())

    # -- writing -----------------------------------------------------------------------------------

    def replace(self, name: str, frame: Any) -> Entry:
        """Rewrite a table, as a version of its own."""
        version = new_version()
        frame.write.mode("error").parquet(str(self.place(name, version)))
        return self.finish_version(name, version, frame)

    def extend(self, name: str, frame: Any, growth: Growth) -> Entry:
        """Write a new version of a table: the old rows and the fresh ones."""
        there = self.spark.table(quote_name(name))
        fresh, old = align_columns(frame, there, growth.on_schema_change)
        growth.check_rows(fresh)
        if not growth.appends or old.columns != there.columns:
            return self.replace(name, growth.grown(old, fresh))

        before = self.state.entries[key_of(name)]
        version = new_version()
        fresh.write.mode("error").parquet(str(self.place(name, version)))
        share(self.place(name, before.version), self.place(name, version))
        return self.finish_version(name, version, old)

    def finish_version(self, name: str, version: str, frame: Any) -> Entry:
        """Return the entry of a version that was written."""
        schema = nullable(frame.schema).json()
        return Entry(
            name, "table", version, "", schema=schema, files=sizes(self.place(name, version))
        )

    def register(self, entry: Entry) -> None:
        """Make a table known to Spark."""
        from pyspark.sql.types import StructType

        schema = StructType.fromJson(json.loads(entry.schema))
        self.forget(entry.name)
        self.make_room(entry.name)
        place = str(self.place(entry.name, entry.version))
        self.spark.catalog.createTable(
            quote_name(entry.name), path=place, source="parquet", schema=schema
        )
        self.known[key_of(entry.name)] = (entry.name, "TABLE")

    def view(self, name: str, statement: Callable[[str], str], sql: str) -> Entry:
        """Create a view."""
        self.make_view(name, statement(f"CREATE OR REPLACE VIEW {quote_name(name)} AS\n"))
        return Entry(name, "view", new_version(), "", sql=sql)

    def make_view(self, name: str, statement: str) -> None:
        """Create a view in the place of a table or view of that name."""
        if self.known.get(key_of(name), ("", ""))[1] == "TABLE":
            self.forget(name)

        self.make_room(name)
        self.spark.sql(statement)
        self.known[key_of(name)] = (name, "VIEW")

    def settle(self, entry: Entry, before: Entry | None) -> None:
        """The state names the new version: the old one can go."""
        if before is not None and not before.sql and before.version != entry.version:
            shutil.rmtree(self.place(before.name, before.version), ignore_errors=True)

    def make_room(self, name: str) -> None:
        """Create the schema of a name."""
        schema = name.split(".")[:-1]
        if schema:
            self.spark.sql(f"CREATE SCHEMA IF NOT EXISTS {quote_name('.'.join(schema))}")

    def forget(self, name: str) -> None:
        """The catalog does not know it any more; the files stay."""
        known = self.known.pop(key_of(name), None)
        if known:
            self.spark.sql(f"DROP {known[1]} IF EXISTS {quote_name(known[0])}")

    def close(self) -> None:
        """Drop all registered tables, and remove scratch files."""
        for name, kind in list(self.known.values()):
            with suppress(Exception):
                self.spark.sql(f"DROP {kind} IF EXISTS {quote_name(name)}")

        shutil.rmtree(self.folder / SCRATCH, ignore_errors=True)

    # -- folders -----------------------------------------------------------------------------------

    def place(self, name: str, version: str) -> Path:
        """Return the folder of a version."""
        return self.folder / folder_name(name) / version

    def scratch(self) -> Path:
        """Return a new folder for scratch files."""
        path = self.folder / SCRATCH / new_version()
        path.mkdir(parents=True)
        return path


class Catalog:
    """Tables of a catalog that the session is configured for; how safe a write is, is the
    catalog's affair.
    """

    def __init__(self, folder: Path, state: State, spark: Any) -> None:
        self.given = folder
        self.folder = folder.absolute()
        self.state = state
        self.spark = spark

    def open(self, keys: Iterable[str]) -> list[str]:
        """Read the state; return the names that the catalog no longer has."""
        self.state.read()
        gone = [entry.name for entry in self.state.entries.values() if not self.stands(entry.name)]
        self.state.drop(*map(key_of, gone))
        return gone

    def stands(self, name: str) -> bool:
        """Tell whether a table or view of that name is there."""
        return bool(self.spark.catalog.tableExists(quote_name(name)))

    def replace(self, name: str, frame: Any) -> Entry:
        """Rewrite a table."""
        self.make_room(name)
        frame.write.mode("overwrite").saveAsTable(quote_name(name))
        return Entry(name, "table", new_version(), "")

    def extend(self, name: str, frame: Any, growth: Growth) -> Entry:
        """Add fresh rows to a table, by its strategy."""
        there = self.spark.table(quote_name(name))
        fresh, old = align_columns(frame, there, growth.on_schema_change)
        growth.check_rows(fresh)
        same = old.columns == there.columns
        if same and growth.appends:
            fresh.write.insertInto(quote_name(name))
        elif same and growth.strategy == REPLACE:
            self.merge(name, fresh, growth.keys)
        else:
            self.rewrite(name, growth.grown(old, fresh))

        return Entry(name, "table", new_version(), "")

    def rewrite(self, name: str, frame: Any) -> None:
        """A table cannot be read while it is replaced: its rows wait in a folder."""
        place = str(self.scratch() / "rows")
        frame.write.parquet(place)
        self.spark.read.parquet(place).write.mode("overwrite").saveAsTable(quote_name(name))

    def merge(self, name: str, fresh: Any, keys: Iterable[str]) -> None:
        """Update the rows with the same key, and insert the others."""
        view = f"lineal_{new_version()}"
        fresh.createOrReplaceTempView(view)
        on = " AND ".join(f"old.{column(key)} = new.{column(key)}" for key in keys)
        self.spark.sql(
            f"MERGE INTO {quote_name(name)} AS old USING {view} AS new ON {on} "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )

    def register(self, entry: Entry) -> None:
        """The catalog knows it already; this session may have to look again, if a Python model's
        has written it.
        """
        self.spark.catalog.refreshTable(quote_name(entry.name))

    def view(self, name: str, statement: Callable[[str], str], sql: str) -> Entry:
        """Create a view."""
        self.make_room(name)
        self.spark.sql(statement(f"CREATE OR REPLACE VIEW {quote_name(name)} AS\n"))
        return Entry(name, "view", new_version(), "", sql=sql)

    def settle(self, entry: Entry, before: Entry | None) -> None:
        """The catalog removes what it has replaced."""

    def make_room(self, name: str) -> None:
        """Create the schema of a name."""
        schema = name.split(".")[:-1]
        if schema:
            self.spark.sql(f"CREATE SCHEMA IF NOT EXISTS {quote_name('.'.join(schema))}")

    def close(self) -> None:
        """Remove scratch files."""
        shutil.rmtree(self.folder / SCRATCH, ignore_errors=True)

    def scratch(self) -> Path:
        """Return a new folder for scratch files."""
        path = self.folder / SCRATCH / new_version()
        path.mkdir(parents=True)
        return path


def new_version() -> str:
    """Return a name for a new version."""
    return uuid4().hex[:12]


def folder_name(name: str) -> str:
    """A folder for any name: no slash, no dot and no percent sign of a name means anything to the
    file system.
    """
    return quote(key_of(name), safe=" ").replace(".", "%2E")[:200] or "%"


def nullable(kind: object) -> Any:
    """A file cannot promise that there is no null in it: Spark says of none of its columns that
    there is not.
    """
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    if isinstance(kind, StructType):
        return StructType(
            [StructField(f.name, nullable(f.dataType), True, f.metadata) for f in kind.fields]
        )

    if isinstance(kind, ArrayType):
        return ArrayType(nullable(kind.elementType), True)

    if isinstance(kind, MapType):
        return MapType(nullable(kind.keyType), nullable(kind.valueType), True)

    return kind


def sizes(folder: Path) -> dict[str, int]:
    """Every data file and its size."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return {}

    return {path.name: path.stat().st_size for path in found if path.name.startswith("part-")}


def share(old: Path, new: Path) -> None:
    """The files of the old version belong to the new one, too: linked where the file system can,
    else copied.
    """
    for path in old.iterdir():
        if path.name.startswith("part-"):
            try:
                os.link(path, new / path.name)
            except OSError:
                shutil.copy2(path, new / path.name)
