"""Schemas from any database that SQLAlchemy knows: --schema-from URL.

    inspected("sqlite:///shop.db")                          tables and views of a file
    inspected("mysql+pymysql://ann@host/shop", ("mart",))   of the schemas that are asked for

Only the catalog is read, by SQLAlchemy's inspector.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from lineal.model.addresses import redact_address, redact_in
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo
from lineal.model.sequences import flatten
from lineal.projects.errors import ProjectError

DIALECTS = {
    "postgresql": "postgres",
    "mssql": "tsql",
    "mariadb": "mysql",
    "awsathena": "athena",
    "teradatasql": "teradata",
}
"""SQLAlchemy's name of a dialect, and ours, where they differ."""

SAME = frozenset((
    "sqlite", "mysql", "oracle", "snowflake", "bigquery", "redshift", "duckdb", "trino", "presto", "databricks",
    "clickhouse", "hive", "druid", "exasol",
))  # fmt: skip

DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
"""The driver that lineal brings along, where the address names none."""

SYSTEM = frozenset(
    ("information_schema", "performance_schema", "mysql", "sys", "pg_catalog", "pg_toast", "system")
)

WITHOUT_SCHEMAS = ("sqlite",)
"""Their schemas are other files; a table of the first one is called by its name alone."""


class Inspected(NamedTuple):
    dialect: str
    """of SQL; '' where it is not known"""
    schema: str
    """the one that names without a schema mean; '' where there are none"""
    datasets: list[DatasetInfo]


def inspect_database(url: str, schemas: tuple[str, ...] = ()) -> Inspected:
    """Return the tables and views of a database with their columns; an error is one line, without a
    password.
    """
    library = sqlalchemy()
    try:
        engine = library.create_engine(address(url, library), poolclass=library.pool.NullPool)
        try:
            # of types it does not know
            with warnings.catch_warnings(action="ignore"), engine.connect() as connection:
                return Catalog(connection, library).read(url, schemas)
        finally:
            engine.dispose()
    except ProjectError:
        raise
    except ModuleNotFoundError as problem:
        raise ProjectError(
            f"{redact_address(url)} is read with {problem.name}, which is not installed: install it with pip"
        ) from None
    except library.exc.NoSuchModuleError:
        scheme = url.partition("://")[0]
        raise ProjectError(
            f"SQLAlchemy knows no database {scheme}: check the address, or install its dialect"
        ) from None
    except Exception as problem:  # a driver's own errors have no common class
        raise ProjectError(
            f"cannot read {redact_address(url)}: {error_text(problem, url)}"
        ) from None


def sqlalchemy() -> Any:
    """Return SQLAlchemy; raise a clear error if it is not installed."""
    try:
        return import_module("sqlalchemy")
    except ImportError:
        raise ProjectError(
            "--schema-from needs SQLAlchemy: pip install 'lineal[sqlalchemy]'"
        ) from None


def error_text(problem: Exception, url: str) -> str:
    """Return a database error on one line, without the password."""
    told = str(getattr(problem, "orig", None) or problem)
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    return redact_in("; ".join(lines[:2]) or type(problem).__name__, url)


def address(url: str, library: Any) -> Any:
    """A file of SQLite is opened for reading only: one that is not there must not come to be."""
    made = library.engine.make_url(url)
    if made.drivername in DRIVERS:
        return made.set(drivername=DRIVERS[made.drivername])

    if (
        made.get_backend_name() != "sqlite"
        or not made.database
        or made.database.startswith("file:")
    ):
        return made

    if not Path(made.database).is_file():
        raise ProjectError(f"there is no file {made.database}")

    file = f"file:{quote(str(Path(made.database).resolve()))}"
    return made.set(database=file, query={**made.query, "mode": "ro", "uri": "true"})


class Catalog:
    """A database by SQLAlchemy's inspector."""

    def __init__(self, connection: Any, library: Any) -> None:
        self.backend = str(connection.dialect.name)
        if self.backend == "postgresql":
            connection.execution_options(postgresql_readonly=True)

        self.library = library
        self.dialect = connection.dialect
        self.inspector = library.inspect(connection)

    def read(self, url: str, schemas: tuple[str, ...]) -> Inspected:
        """Return the datasets of some schemas, or of all."""
        default = (
            "" if self.backend in WITHOUT_SCHEMAS else str(self.inspector.default_schema_name or "")
        )
        known = self.inspector.get_schema_names()
        for schema in schemas:
            if schema not in known:
                raise ProjectError(
                    f"{redact_address(url)} has no schema {schema}: there are {', '.join(sorted(known))}"
                )

        asked = schemas or [schema for schema in known if schema.lower() not in SYSTEM]
        datasets = flatten(map(self.tables, asked))
        name = DIALECTS.get(self.backend, self.backend if self.backend in SAME else "")
        return Inspected(name, default, datasets)

    def tables(self, schema: str) -> Iterator[DatasetInfo]:
        """Yield the tables and views of a schema."""
        reflection = import_module("sqlalchemy.engine.reflection")
        every = {
            "schema": schema,
            "kind": reflection.ObjectKind.ANY,
            "scope": reflection.ObjectScope.DEFAULT,
        }
        columns = self.inspector.get_multi_columns(**every)
        comments = self.comments(every)
        views = {*self.inspector.get_view_names(schema), *self.materialized(schema)}
        for (within, table), listed in sorted(columns.items(), key=lambda item: str(item[0][1])):
            kind = "view" if table in views else "table"
            infos = list(map(self.column, listed))
            named = Dataset("", self.name(schema, table))
            yield DatasetInfo(
                named, kind, infos, True, comments.get((within, table), ""), exact=self.exact
            )

    @property
    def exact(self) -> bool:
        """Whether names come as the server has them; of the other databases SQLAlchemy folds them."""
        return self.backend == "postgresql"

    def name(self, schema: str, table: str) -> str:
        """Return the name of a table with its schema."""
        if self.backend in WITHOUT_SCHEMAS and schema == "main":
            return table

        return f"{schema}.{table}"

    def column(self, column: dict[str, Any]) -> ColumnInfo:
        """Return a column."""
        return ColumnInfo(
            str(column["name"]),
            self.type(column["type"]),
            column.get("comment") or "",
            quoted=self.exact,
        )

    def type(self, type_: Any) -> str:
        """A type that SQLAlchemy does not know is none."""
        try:
            return str(type_.compile(self.dialect))
        except self.library.exc.SQLAlchemyError:
            return ""

    def comments(self, every: Mapping[str, object]) -> dict[Any, str]:
        """Return the comments on tables, where the database has any."""
        try:
            found = self.inspector.get_multi_table_comment(**every)
        except NotImplementedError:
            return {}

        return {key: comment["text"] for key, comment in found.items() if comment.get("text")}

    def materialized(self, schema: str) -> list[str]:
        """Return the materialized views of a schema."""
        try:
            return list(self.inspector.get_materialized_view_names(schema))
        except NotImplementedError:
            return []
