"""A DuckDB in memory that can reach nothing else."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from threading import Timer
from typing import Any

from lineal.prove.tables import Row, Table

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
    "threads": "1",
    "memory_limit": "512MB",
    "lock_configuration": "true",
}
LONGEST_MESSAGE = 160


class Refused(Exception):
    """The engine does not run a query; the message says why."""


class Engine:
    """Runs queries over tables, until the time is over."""

    def __init__(self, seconds: float) -> None:
        import duckdb

        self.errors = duckdb.Error
        self.database: Any = duckdb.connect(":memory:", config=SETTINGS)
        self.is_over = False
        self.timer = Timer(seconds, self.stop)
        self.timer.daemon = True
        self.timer.start()

    def stop(self) -> None:
        """End the query that runs; nothing more is run."""
        self.is_over = True
        self.database.interrupt()

    def close(self) -> None:
        """Close the database."""
        self.timer.cancel()
        self.database.close()

    def create(self, table: Table) -> None:
        """Create an empty table."""
        self.run(table.definition)

    def fill(self, table: Table, rows: list[Row]) -> None:
        """Replace the rows of a table."""
        self.run(f"DELETE FROM {table.shown}")
        if not rows:
            return

        marks = ", ".join("?" for _ in table.kinds)
        several = ", ".join(f"({marks})" for _ in rows)
        self.run(f"INSERT INTO {table.shown} VALUES {several}", tuple(chain.from_iterable(rows)))

    def result(self, query: str) -> tuple[list[str], Counter[Row]]:
        """Return the columns and the rows of a query, as a bag."""
        cursor = self.run(query)
        names = [str(column[0]).lower() for column in cursor.description]
        rows = Counter(tuple(map(comparable_value, row)) for row in cursor.fetchall())
        return names, rows

    def run(self, sql: str, values: Row = ()) -> Any:
        """Run one statement, if there is time left."""
        if self.is_over:
            raise Refused("the time is over")

        try:
            return self.database.execute(sql, values)
        except self.errors as error:
            message = str(error).splitlines()[0][:LONGEST_MESSAGE]
            raise Refused(message) from None


def comparable_value(value: object) -> object:
    """Return a value such that equal ones are equal: floats without their last digits."""
    if isinstance(value, float):
        return float(f"{value:.9g}")

    if isinstance(value, (list, dict)):
        return repr(value)

    return value
