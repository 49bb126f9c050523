"""Every test of a store runs over both databases: a file, and a PostgreSQL server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "postgres"))  # postgres_server.py

from lineal.store.lineage import Store, open_store

DATABASES = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database of its own on a server."""
    import postgres_server

    psycopg = pytest.importorskip("psycopg", reason="no psycopg: pip install 'lineal[postgres]'")
    try:
        with postgres_server.address() as server, postgres_server.database(server) as connection:
            said = psycopg.conninfo.conninfo_to_dict(connection.info.dsn)
            said["dbname"] = connection.info.dbname
            if connection.info.password:
                said["password"] = connection.info.password
            yield "postgresql://?" + "&".join(
                f"{name}={quote(str(value), safe='')}" for name, value in said.items()
            )
    except postgres_server.NoServer as problem:
        pytest.skip(str(problem))


@pytest.fixture(params=DATABASES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where no store is yet."""
    return (
        str(tmp_path / "lineal.store.db")
        if request.param == "sqlite"
        else request.getfixturevalue("empty_postgres")
    )


@pytest.fixture
def empty_postgres(postgres_url: str) -> str:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("SET client_min_messages TO warning")
        connection.execute("DROP SCHEMA IF EXISTS lineal CASCADE")
    return postgres_url


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with open_store(address, create=True) as opened:
        yield opened


@pytest.fixture
def state(store: Store) -> Callable[[], dict[str, list[tuple[object, ...]]]]:
    """Every row of every table."""

    def rows() -> dict[str, list[tuple[object, ...]]]:
        with store.database.reading():
            return {
                table: sorted(store.database.rows(f"SELECT * FROM {table}"), key=repr)
                for table in TABLES
            }

    return rows


TABLES = (
    "versions", "counters", "namespaces", "runs", "datasets", "columns", "files", "statements", "ways", "edges",
    "usages", "dataset_infos", "column_infos", "statement_infos", "reads", "jobs", "diagnostics", "occurrences",
)  # fmt: skip
