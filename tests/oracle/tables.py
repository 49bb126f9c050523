"""Small tables of random values, and the same tables with some columns drawn again."""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Any, NamedTuple

import duckdb

from generators.duck_schema import FIELDS, LIST, SCHEMA, STRUCT
from generators.scope import NUMBER, TEXT

TYPES = {
    NUMBER: "INTEGER",
    TEXT: "VARCHAR",
    LIST: "INTEGER[]",
    STRUCT: "STRUCT(lat INTEGER, town VARCHAR)",
}

ROWS = 6
TEXTS = ("a", "b", "ab", "c", None)
NUMBERS = (0, 1, 2, 3, 4, 4, None)


class Atom(NamedTuple):
    """What is drawn by itself: a column, or a field of a struct."""

    table: str
    column: str
    field: str = ""

    def __str__(self) -> str:
        return ".".join(part for part in self if part)


ATOMS = [
    Atom(table, column, field)
    for table, columns in SCHEMA.items()
    for column, kind in columns.items()
    for field in (FIELDS if kind == STRUCT else [""])
]

Values = dict[Atom, list[Any]]


def draw(random: Random) -> Values:
    return {atom: [one(kind_of(atom), random) for _ in range(ROWS)] for atom in ATOMS}


def kind_of(atom: Atom) -> str:
    return FIELDS[atom.field] if atom.field else SCHEMA[atom.table][atom.column]


def one(kind: str, random: Random) -> Any:
    if kind == NUMBER:
        return random.choice(NUMBERS)
    if kind == TEXT:
        return random.choice(TEXTS)
    return (
        [random.choice(NUMBERS) for _ in range(random.randint(0, 3))]
        if random.randint(0, 6)
        else None
    )


class Tables:
    """The tables in a database of their own; asking a query leaves them as they are."""

    def __init__(self) -> None:
        self.database = duckdb.connect(":memory:", config={"threads": 1})
        for setting in (
            "max_expression_depth = 200",
            "enable_progress_bar = false",
            "memory_limit = '500MB'",
        ):
            self.database.execute(f"SET {setting}")
        self.database.execute("PRAGMA disable_optimizer")

    def fill(self, values: Values, order: list[int], only: Collection[str]) -> None:
        for table in only:
            rows = ", ".join(
                f"({', '.join(self.row(table, values, position))})" for position in order
            )
            columns = ", ".join(f"{name} {TYPES[kind]}" for name, kind in SCHEMA[table].items())
            self.database.execute(
                f"CREATE OR REPLACE TABLE {table} ({columns}); INSERT INTO {table} VALUES {rows}"
            )

    def row(self, table: str, values: Values, position: int) -> list[str]:
        return [
            "{" + ", ".join(f"'{field}': {literal(values[Atom(table, name, field)][position])}" for field in FIELDS)
            + "}" if kind == STRUCT else literal(values[Atom(table, name)][position])
            for name, kind in SCHEMA[table].items()
        ]  # fmt: skip

    def outcome(self, text: str, target: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names and rows that a query gives; of a statement that writes, those of its target
        afterwards.
        """
        self.database.execute(text)
        if target:
            self.database.execute(f"SELECT * FROM {target}")
        return [column[0] for column in self.database.description], self.database.fetchall()


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return f"[{', '.join(literal(item) for item in value)}]::INTEGER[]"
    return f"'{value}'" if isinstance(value, str) else str(value)
