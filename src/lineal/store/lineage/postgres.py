"""A store on a PostgreSQL server, in a schema of its own: rows come in by COPY, one writer at a
time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from select import select
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from lineal.model.sequences import first_of_each, second_of_each
from lineal.store.errors import Busy, Damaged, StoreError, Unreadable
from lineal.store.lineage import binary
from lineal.store.lineage.database import WAIT, Ready, Row, Values, known
from lineal.store.lineage.schema import POSTGRES

SCHEMA = "lineal"
SCHEMES = ("postgresql://", "postgres://")
LOCK = 0x6C696E65616C
ROWS_AT_ONCE = 4000
CONNECT_SECONDS = 10

HAS_VERSIONS = f"""
SELECT FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = '{SCHEMA}' AND relname = 'versions'
"""
"""Asked of the tables, for what the server remembers of names may be older than the lock that we
waited for.
"""

SETTINGS = (
    f"SET LOCAL search_path TO {SCHEMA}, pg_catalog",
    "SET LOCAL client_encoding TO 'UTF8'",
)

BY_INDEX = ("enable_hashjoin", "enable_mergejoin", "enable_seqscan", "jit")
"""The planner options that a trace has no use for: it goes from row to row, whatever the server believes about tables
that it has not yet
looked at."""

ROOM_FOR_INDEXES = """
SELECT pg_catalog.set_config(name, '256MB', true) FROM pg_catalog.pg_settings
WHERE name = 'maintenance_work_mem' AND CAST(setting AS bigint) < 256 * 1024
"""
"""Rows that are sorted in memory are indexed sooner; a server that has more room keeps its own value."""

TOO_MANY = "the server has too many connections: try again later"
NOT_UNICODE = (
    "the database's encoding lacks a character of the lineage; nothing was changed: use a database"
    " whose encoding is UTF8"
)

REASONS: dict[str, tuple[type[StoreError], str]] = {
    "55P03": (
        Busy,
        "another process is writing to it: try again later, or wait longer with --wait",
    ),
    "57014": (
        Busy,
        "the server ended the statement after its timeout; nothing was changed: raise"
        " statement_timeout for this user, and try again",
    ),
    "42501": (
        Unreadable,
        "no rights: the user needs CREATE on the database, or rights on the schema `lineal`",
    ),
    "53100": (
        Unreadable,
        "the server's disk is full; nothing was changed: make room there and try again",
    ),
    "53200": (Unreadable, "the server has no memory left; nothing was changed: try again later"),
    "53300": (Unreadable, TOO_MANY),
    "40001": (Busy, "another process has changed it meanwhile; nothing was changed: try again"),
    "40P01": (Busy, "another process is in the way; nothing was changed: try again"),
    "22P05": (StoreError, NOT_UNICODE),
    "22021": (StoreError, NOT_UNICODE),
    "XX001": (Damaged, "the server finds its own files damaged: put back a backup"),
    "XX002": (Damaged, "an index is damaged: run REINDEX SCHEMA lineal, or drop it and load again"),
    "25006": (Unreadable, "the server takes no writes now"),
    "42P01": (Damaged, "the schema `lineal` has not the tables of a store: drop it and load again"),
    "42703": (Damaged, "the schema `lineal` has not the tables of a store: drop it and load again"),
    "28P01": (Unreadable, "the password is not accepted"),
    "28000": (Unreadable, "the user is not accepted"),
    "3D000": (Unreadable, "there is no such database"),
}
"""SQLSTATE in words; of the classes 08 and 57P the connection is gone."""


class Postgres:
    """A connection to a server."""

    dialect = POSTGRES
    at_once = 100_000

    def __init__(self, url: str, *, create: bool = False, wait: float = WAIT) -> None:
        self.secrets = secrets_of(url)
        self.name = public_address(url)
        self.wait = wait
        self.create = create
        try:
            import psycopg
        except ImportError as problem:
            raise Unreadable(
                "a store on PostgreSQL needs psycopg: pip install 'lineal[postgres]'"
            ) from problem

        self.psycopg = psycopg
        with self._errors_in_words():
            self.connection = psycopg.connect(
                url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                fallback_application_name="lineal",
            )

    # -- transactions ------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read in one transaction that sees one state."""
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write in one transaction, one process at a time."""
        with self._transaction("BEGIN"):
            self.connection.execute(f"SET LOCAL lock_timeout TO {int(self.wait * 1000) or 1}")
            self.connection.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
            # we have work to do meanwhile
            self.connection.execute("SET LOCAL max_parallel_maintenance_workers TO 0")
            self.connection.execute(ROOM_FOR_INDEXES)
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        """Run statements in a transaction that is rolled back on an error."""
        with self._errors_in_words():
            self.connection.execute(begin)
            try:
                for setting in SETTINGS:
                    self.connection.execute(setting)

                yield
                self.connection.execute("COMMIT")
            except BaseException:
                with suppress(self.psycopg.Error):
                    self.connection.execute("ROLLBACK")

                raise

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        """The server's errors in words, and without the password."""
        try:
            yield
        except self.psycopg.Error as problem:
            kind, words = self._reason(problem)
            raise kind(f"store {self.name}: {words}") from None
        except OverflowError as problem:
            raise StoreError(
                f"store {self.name}: a number is too large to be stored; nothing was changed"
            ) from problem

    def _reason(self, problem: Any) -> tuple[type[StoreError], str]:
        """Return the error class and the words for a problem of the server."""
        state = problem.sqlstate or ""
        if state in REASONS:
            return REASONS[state]

        said = hide_secrets(self.secrets, " ".join(str(problem).split()))
        if "too many connections" in said or "too many clients" in said:
            return REASONS["53300"]

        if (
            isinstance(problem, self.psycopg.OperationalError)
            or state[:2] == "08"
            or state[:3] == "57P"
        ):
            return (
                Unreadable,
                f"the server cannot be reached or closed the connection ({said}); nothing was changed:"
                " check the address and the server, and try again",
            )

        return StoreError, f"{said}; nothing was changed"

    # -- statements --------------------------------------------------------------------------------

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """Return the rows of a query."""
        with self._errors_in_words():
            return self.connection.execute(_with_placeholders(sql), values, binary=True).fetchall()

    def run(self, sql: str, values: Values = ()) -> None:
        """Run a statement that returns no rows."""
        with self._errors_in_words():
            self.connection.execute(_with_placeholders(sql), values)

    def fill(self, table: str, columns: Mapping[str, Values], same: Mapping[str, object]) -> None:
        """COPY edges (…) FROM STDIN, as text made for thousands of rows by one %"""
        columns = known(columns)
        names = ", ".join([*columns, *same])
        row = "\t".join(["%s"] * len(columns) + list(map(_copy_field, same.values()))) + "\n"
        flat = chain.from_iterable(zip(*map(_cells, columns.values()), strict=True))
        with (
            self._errors_in_words(),
            self.connection.cursor().copy(f"COPY {table} ({names}) FROM STDIN") as copy,
        ):
            for text in _texts(flat, row, len(columns)):
                copy.write(text)

    def pour(
        self,
        table: str,
        batches: Iterable[Mapping[str, Values]],
        same: Mapping[str, int],
        ready: Ready = iter,
    ) -> None:
        """Write many rows with COPY, batch by batch."""
        begun = iter(batches)
        first = next(begun, None)
        if first is None:
            return

        names = ", ".join([*same, *first])
        fields = binary.Fields()
        question = f"COPY {table} ({names}) FROM STDIN (FORMAT binary)"
        with self._errors_in_words():
            made = ready(binary.rows(batch, same, fields) for batch in chain([first], begun))
            with self.connection.cursor().copy(question) as copy:
                copy.write(binary.BEGIN)
                for data in made:
                    copy.write(data)
                    self._wait_until_sent()

                copy.write(binary.END)

    def _wait_until_sent(self) -> None:
        """Wait until the server has taken all: what piles up here is moved about with each piece
        that it takes.
        """
        while self.connection.pgconn.flush():
            select([], [self.connection], [])

    def pairs(self, nodes: Sequence[tuple[int, str]]) -> tuple[str, list[Any]]:
        """Two lists cost less to read than many values."""
        numbers, names = first_of_each(nodes), second_of_each(nodes)
        return "SELECT * FROM unnest(CAST(? AS INTEGER[]), CAST(? AS TEXT[])) AS nodes", [
            numbers,
            names,
        ]

    def among(self, numbers: Sequence[int]) -> tuple[str, list[Any]]:
        """Return a condition for one of some numbers, and its values."""
        return "= ANY (CAST(? AS INTEGER[]))", [list(numbers)]

    def versions(self) -> list[int] | None:
        """Return the versions of the tables; None if there is no store."""
        with self._errors_in_words():
            if self.connection.execute(HAS_VERSIONS).fetchone() is None:
                return None

            found = self.connection.execute(
                f"SELECT version FROM {SCHEMA}.versions ORDER BY version"
            ).fetchall()
            return [version for (version,) in found]

    def begin_store(self) -> None:
        """Make the schema; one that is there must be empty, else it is somebody else's."""
        found = self.rows("SELECT oid FROM pg_namespace WHERE nspname = ?", [SCHEMA])
        if not found:
            self.run(f"CREATE SCHEMA {SCHEMA}")
        elif self.rows("SELECT 1 FROM pg_class WHERE relnamespace = ? LIMIT 1", [found[0][0]]):
            raise StoreError(
                f"store {self.name}: the schema `{SCHEMA}` has other tables in it: name another database"
            )

    def by_index(self) -> None:
        """Make the server use indexes in this transaction."""
        for setting in BY_INDEX:
            self.run(f"SET LOCAL {setting} TO off")

    def tidy(self) -> None:
        """Free the room of deleted rows for new ones now; the server would do it by
        itself later.
        """
        with self._errors_in_words():
            for table in ("edges", "usages", "reads", "columns"):
                self.connection.execute(f"VACUUM (ANALYZE) {SCHEMA}.{table}")

    def close(self) -> None:
        """Close the connection."""
        with suppress(self.psycopg.Error):
            self.connection.close()

    def abandon(self) -> None:
        """Close the connection: the server has undone all uncommitted changes."""
        self.close()


def _with_placeholders(sql: str) -> str:
    """Return SQL with psycopg's placeholders."""
    return sql.replace("?", "%s")


# -- COPY's text format ----------------------------------------------------------------------------


def _texts(flat: Iterable[object], row: str, columns: int) -> Iterator[str]:
    """Yield the rows of COPY as texts."""
    while part := tuple(islice(flat, ROWS_AT_ONCE * columns)):
        yield row * (len(part) // columns) % part


ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def _cells(values: Values) -> Values:
    """The values of a column as COPY reads them; most columns can stay as they are."""
    if isinstance(values, range):
        return values

    gaps = None in values
    if isinstance(next((value for value in values if value is not None), None), str):
        whole = "".join(filter(None, values)) if gaps else "".join(values)
        if any(map(whole.__contains__, "\\\t\n\r")):
            return list(map(_copy_field, values))

    if not gaps:
        return values

    return ["\\N" if value is None else value for value in values]


def _copy_field(value: Any) -> str:
    """Return a value as COPY reads it."""
    if value is None:
        return "\\N"

    if isinstance(value, str):
        return value.translate(ESCAPES)

    return str(int(value))


# -- addresses -------------------------------------------------------------------------------------

SECRET_SETTINGS = ("password", "sslpassword")


def secrets_of(url: str) -> list[str]:
    """Return the parts of an address that must not be shown, as they are written and decoded."""
    found: list[str] = []
    with suppress(ValueError):
        parts = urlsplit(url)
        found.append(parts.password or "")
        found += [
            value for name, value in parse_qsl(parts.query) if name.lower() in SECRET_SETTINGS
        ]

    head, at, _ = url.partition("://")[2].rpartition("@")
    if at and ":" in head:
        found.append(head.partition(":")[2])

    spelt = {spelling for secret in found for spelling in (secret, unquote(secret)) if spelling}
    return sorted(spelt, key=len, reverse=True)


def public_address(url: str) -> str:
    """The address without its password and without its settings."""
    scheme, _, rest = url.partition("://")
    place = rest.partition("?")[0]
    user, at, where = place.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{where}"


def hide_secrets(secrets: list[str], text: str) -> str:
    """Return a text with each secret replaced by stars."""
    for secret in secrets:
        text = text.replace(secret, "***")

    return text
