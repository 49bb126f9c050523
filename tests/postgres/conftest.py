"""One PostgreSQL server for all tests that need one, and an empty database for each module of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import postgres_server
import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The server's address."""
    pytest.importorskip("psycopg", reason="no psycopg: pip install 'lineal[postgres]'")
    try:
        with postgres_server.address() as conninfo:
            yield conninfo
    except postgres_server.NoServer as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def database(postgres: str) -> Iterator[Any]:
    """A connection to an empty database."""
    with postgres_server.database(postgres) as connection:
        yield connection
