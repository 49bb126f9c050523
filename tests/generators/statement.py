"""A random statement, as every test sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from generators.scope import Columns

TARGET = "target_table"
"""The table that a Spark statement writes, until `with_number` gives it a name of its own."""


@dataclass(frozen=True)
class Statement:
    """A script, the table it writes (none for a query), and the columns that table must have."""

    text: str
    target: str = ""
    written: Columns | None = None

    def with_number(self, number: int) -> Statement:
        """Return the statement with a target that no other number has: `q7`."""
        target = f"q{number}"
        return replace(self, text=self.text.replace(TARGET, target), target=target)
