"""A session on a server that can change nothing: one read-only transaction, with an end to every
wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lineal.model.addresses import redact_address, redact_in
from lineal.projects.errors import ProjectError

if TYPE_CHECKING:
    import psycopg

LIMITS = {
    "statement_timeout": "60s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "10min",
}
"""Where the server, the role or the address (?options=-c statement_timeout=…) sets one, that one
counts.
"""

CONNECT_SECONDS = 15
OLDEST = 120000


class Session:
    """A connection inside its one transaction; every error is one line without a password."""

    def __init__(self, connection: psycopg.Connection[Any], address: str) -> None:
        self.connection = connection
        self.address = address
        self.version = connection.info.server_version
        self.database = connection.info.dbname
        self.path = tuple(self.one("SELECT /* lineal */ pg_catalog.current_schemas(false)")[0])
        """the schemas that names without one are looked for in"""
        for name, limit in LIMITS.items():
            if self.one(f"SELECT /* lineal */ pg_catalog.current_setting('{name}')")[0] == "0":
                self.rows(f"SET LOCAL {name} = '{limit}'")

        self.rows("SET LOCAL search_path = ''")

    def rows(self, query: str, values: Any = None) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with self.connection.cursor() as cursor:
            cursor.execute(query, values)
            if cursor.description is not None:
                return cursor.fetchall()

            return []

    def one(self, query: str) -> tuple[Any, ...]:
        """Return the first row of a query."""
        return self.rows(query)[0]

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Run a block in a savepoint, so that a failure leaves the transaction as it was."""
        with self.connection.transaction():
            yield


@contextmanager
def session(address: str) -> Iterator[Session]:
    """A server at an address that libpq understands, its environment and files included."""
    psycopg = library()
    try:
        with psycopg.connect(address, prepare_threshold=None, **settings(address)) as connection:
            if connection.info.server_version < OLDEST:
                raise ProjectError(
                    f"{redact_address(address)}: PostgreSQL {OLDEST // 10000} or newer is needed"
                )

            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            yield Session(connection, address)
            connection.rollback()
    except (psycopg.Error, UnicodeError) as problem:
        raise ProjectError(error_text(problem, address)) from None


def library() -> Any:
    """Return psycopg; raise a clear error if it is not installed."""
    try:
        import psycopg
    except ImportError:
        raise ProjectError(
            "a PostgreSQL server is read with psycopg: pip install 'lineal[postgres]'"
        ) from None

    return psycopg


def settings(address: str) -> dict[str, Any]:
    """Return the connection settings that the address leaves out."""
    given = {
        "application_name": "lineal",
        "connect_timeout": CONNECT_SECONDS,
        "client_encoding": "utf8",
    }
    return {name: value for name, value in given.items() if f"{name}=" not in address}


def error_text(problem: Exception, address: str) -> str:
    """The first thing that the server or libpq says, in one line, passwords blotted out."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    message = redact_in("; ".join(lines[:3]) or type(problem).__name__, address)
    return f"cannot read {redact_address(address)}: {message}"
