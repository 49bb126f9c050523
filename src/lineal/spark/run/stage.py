"""Where a Python model works: a session of its own, in a database of its own, over the project's
tables.

The project's tables are views there, so that a model can read them by their names and write none of
them. A job that writes the table of its own name writes it into that database; what it has written
becomes the table when it has ended well, and until then the warehouse keeps the former version.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lineal.spark.names import quote_name
from lineal.spark.run.jobs import key_of
from lineal.spark.run.state import Entry
from lineal.spark.run.warehouse import Catalog, Folder, new_version, share, sizes


class Stage:
    """A session for one model. In a catalog that is not ours, names mean what they mean there."""

    def __init__(self, spark: Any, name: str, database: str, home: str) -> None:
        from pyspark.sql import SparkSession

        self.spark = spark
        self.name = name
        self.database = database
        """Where the model writes; '' for where all tables are."""
        self.home = home
        """Where the project's tables are; '' for a catalog that is not ours."""
        self.session = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
        self.copied: dict[str, int] = {}
        """The files of the former version that a job may add to, with their sizes."""
        self.copy: Path | None = None
        self.give_back: Callable[[], None] = lambda: None
        """Make the former version the table again, which was out of a job's reach."""

    @property
    def own(self) -> str:
        """Return the target of a job, as SQL names it."""
        if self.database:
            return f"{quote_name(self.database)}.{quote_name(self.name)}"

        return quote_name(self.name)

    def at_home(self, name: str) -> str:
        """A table of the project, whatever the session's own views are called."""
        if self.home and "." not in name:
            return f"{quote_name(self.home)}.{quote_name(name)}"

        return quote_name(name)

    def plain_name(self, name: str) -> str:
        """A dataset's name without the database of the stage."""
        if self.database:
            return name.removeprefix(f"{self.database}.")

        return name

    def table(self) -> Any:
        """The table that a job has written under its own name."""
        return self.session.table(self.own)

    def temporary_view(self) -> Any:
        """df.createOrReplaceTempView(name)

        what a job has registered under its own name; None if it has not
        """
        views = self.session._jsparkSession.sessionState().catalog()
        if views.getTempView(self.name).isDefined():
            return self.session.table(quote_name(self.name))

        return None

    def others(self) -> list[str]:
        """The tables that a model has written in addition to its own."""
        if not self.database:
            return []

        found = [
            table.name
            for table in self.spark.catalog.listTables(self.database)
            if not table.isTemporary
        ]
        return sorted(name for name in found if key_of(name) != key_of(self.name))

    def added_rows(self) -> Any:
        """The rows that a job has added to the former version; None if it has not only added some."""
        if self.copy is None or not self.spark.catalog.tableExists(self.own):
            return None

        now = sizes(self.copy)
        fresh = sorted(now.keys() - self.copied.keys())
        same = all(now.get(name) == size for name, size in self.copied.items())
        moved = str(self.copy) not in self._location()
        if moved or not same:
            return None

        schema = self.session.table(self.own).schema
        if fresh:
            return self.session.read.schema(schema).parquet(
                *(str(self.copy / name) for name in fresh)
            )

        return None

    def _location(self) -> str:
        """Return where the table of the stage is stored."""
        described = self.spark.sql(f"DESCRIBE TABLE EXTENDED {self.own}").collect()
        return next((row[1] for row in described if row[0] == "Location"), "")


@contextmanager
def open_stage(
    tables: Folder | Catalog,
    spark: Any,
    name: str,
    functions: Iterable[str],
    *,
    job: bool,
    goes_on: bool,
) -> Iterator[Stage]:
    """A stage for a model, or for a job, which finds the former version of its table there if it
    goes on with it.
    """
    if isinstance(tables, Catalog):
        yield Stage(spark, name, "", "")
        return

    home = spark.catalog.currentDatabase()
    stage = Stage(spark, name, f"lineal_{new_version()}", home)
    scratch = tables.scratch()
    entry = tables.state.entries.get(key_of(name))
    spark.sql(
        f"CREATE DATABASE {quote_name(stage.database)} LOCATION '{escape_path(scratch / 'tables')}'"
    )
    try:
        lay_out(stage, tables, functions, without_own=job)
        if job and entry is not None:
            stage.give_back = lambda: restore(tables, entry)
            tables.forget(name)
            if goes_on:
                lend(stage, tables, entry, scratch / "former")

        yield stage
    finally:
        stage.give_back()
        with suppress(Exception):
            spark.sql(f"DROP DATABASE IF EXISTS {quote_name(stage.database)} CASCADE")

        shutil.rmtree(scratch, ignore_errors=True)


def lay_out(stage: Stage, tables: Folder, functions: Iterable[str], *, without_own: bool) -> None:
    """Everything that the project has built so far, under its name; the project's functions, too."""
    for name, _ in list(tables.known.values()):
        if "." in name or (without_own and key_of(name) == key_of(stage.name)):
            continue

        with suppress(Exception):  # a view over tables that are gone: whoever reads it says so
            stage.session.table(stage.at_home(name)).createOrReplaceTempView(quote_name(name))

    for function in functions:
        stage.session.sql(function)

    stage.session.catalog.setCurrentDatabase(stage.database)


def lend(stage: Stage, tables: Folder, entry: Entry, folder: Path) -> None:
    """The former version, as a table that the job may add to or replace; its files stay as they
    are.
    """
    from pyspark.sql.types import StructType

    if entry.sql:
        return

    folder.mkdir(parents=True)
    share(tables.place(entry.name, entry.version), folder)
    stage.copy, stage.copied = folder, sizes(folder)
    schema = StructType.fromJson(json.loads(entry.schema))
    stage.spark.catalog.createTable(stage.own, path=str(folder), source="parquet", schema=schema)


def restore(tables: Folder, entry: Entry) -> None:
    """The former version is the table again."""
    if tables.stands(entry.name):
        return

    if entry.sql:
        tables.register_view(entry)
    else:
        tables.register(entry)


def escape_path(path: Path) -> str:
    """Return a path for a string literal of SQL."""
    return str(path).replace("\\", "\\\\").replace("'", "\\'")
