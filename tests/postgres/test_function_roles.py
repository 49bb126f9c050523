"""PostgreSQL's catalog says which functions are aggregates: each has its role in the table."""

from __future__ import annotations

from lineal.algebra.functions import Role, known

AGGREGATES = "SELECT DISTINCT proname FROM pg_proc WHERE prokind = 'a' ORDER BY 1"
WINDOWS = "SELECT DISTINCT proname FROM pg_proc WHERE prokind = 'w' ORDER BY 1"
VALUES_OF_ROWS = frozenset(("lag", "lead", "first_value", "last_value", "nth_value"))


def names(connection, query: str) -> list[str]:
    """The names that a query of the catalog gives."""
    return [row[0] for row in connection.execute(query).fetchall()]


def test_every_aggregate_of_the_catalog_has_its_role(database):
    found = names(database, AGGREGATES)
    missing = [name for name in found if (row := known(name)) is None or row.role is Role.SCALAR]
    assert len(found) > 40
    assert missing == []


def test_every_window_function_of_the_catalog_has_its_role(database):
    roles = {name: known(name) for name in names(database, WINDOWS)}
    assert [name for name, row in roles.items() if row is None] == []
    assert {name for name, row in roles.items() if row and row.role is Role.VALUE_AT} <= (
        VALUES_OF_ROWS
    )
