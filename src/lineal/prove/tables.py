"""Small random tables: with NULLs, duplicates, and the constants that the queries compare with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain
from random import Random

from lineal.extract.sql.runnable import BOOLEAN, DATE, KINDS, NUMBERS, REAL, TEXT, TIME, Runnable

Row = tuple[object, ...]
MOST_ROWS = 5
MOST_CONSTANTS = 12
DAYS = (date(2024, 1, 1), date(2024, 2, 29), date(2025, 12, 31))


@dataclass
class Table:
    """A table that the queries read, and its rows."""

    name: str
    """as the statements call it"""
    shown: str
    """as the experiment calls it"""
    kinds: dict[str, str]
    """column → kind"""
    rows: list[Row]

    @property
    def definition(self) -> str:
        """CREATE TABLE …"""
        columns = ", ".join(
            f"{quote_name(name)} {KINDS[kind]}" for name, kind in self.kinds.items()
        )
        return f"CREATE OR REPLACE TABLE {self.shown} ({columns})"


def quote_name(name: str) -> str:
    """Return a name in quotes."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def pools_of(*queries: Runnable) -> dict[str, list[object]]:
    """Return the values for each kind of column: a few of its own, and the constants."""
    numbers = sorted(set(chain.from_iterable(query.numbers for query in queries)))
    texts = sorted(set(chain.from_iterable(query.texts for query in queries)))
    days = [*DAYS, *(found for each in texts if (found := day_of(each)) is not None)]
    return {
        NUMBERS: [0, 1, 2, *numbers_near(numbers[:MOST_CONSTANTS])],
        REAL: [0, 0.5, 1.375, 2, *numbers_near(numbers[:MOST_CONSTANTS])],
        TEXT: ["a", "b", *texts[:MOST_CONSTANTS]],
        DATE: list(days),
        TIME: [datetime(day.year, day.month, day.day, hour) for day in days for hour in (0, 13)],
        BOOLEAN: [True, False],
    }


def numbers_near(numbers: list[str]) -> list[object]:
    """Return whole numbers at and next to the constants: `> 10` tells 10 from 11."""
    found: list[object] = []
    for each in numbers:
        value = int(float(each)) if abs(float(each)) < 1e9 else 0
        found += [value, value + 1]

    return found


def day_of(text: str) -> date | None:
    """Return the day that a text means, if it means one."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def draw_rows(table: Table, pools: dict[str, list[object]], random: Random) -> list[Row]:
    """Return random rows: about every fifth value is NULL, and some rows are there twice."""
    rows: list[Row] = []
    for _ in range(random.randrange(MOST_ROWS + 1)):
        rows.append(tuple(draw_value(pools[kind], random) for kind in table.kinds.values()))

    return rows + rows[: random.randrange(2)]


def draw_value(pool: list[object], random: Random) -> object:
    """Return a value of a pool, or NULL."""
    if random.random() < 0.2:
        return None

    return random.choice(pool)
