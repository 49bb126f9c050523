"""The plan of a statement: its write, and the steps around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.frame import Frame
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.tables import Named
from lineal.model.extraction import ColumnInfo
from lineal.model.sequences import second_of_each

Made = Callable[[Any, Any], Frame]
"""A function that makes a frame, given the evaluation and the CTEs."""

After = Callable[[Frame, Any, Any], Frame]
"""A step with a query's frame, given the evaluation and the CTEs."""


@dataclass(slots=True)
class Plan:
    """The dataset that a statement writes, and the query that it writes there."""

    name: str
    key: str
    kind: str
    query: Any = None
    columns: list[tuple[str, str]] = field(default_factory=list)
    """the column list, as (spelling, key)"""
    schema: list[ColumnInfo] | None = None
    """the declared columns of CREATE TABLE t (a INT)"""
    defines: bool = True
    """the query decides the schema; an INSERT only adds rows"""
    positional: bool = False
    """columns are matched by position with the target's schema"""
    with_: Any = None
    node: Any = None
    made: Made | None = None
    """instead of a query: what an UPDATE sets, given the evaluation and the CTEs"""
    after: After | None = None
    """the step with the query's frame: ON CONFLICT DO UPDATE"""
    partition: Partition | None = None
    """INSERT INTO t PARTITION (day, region = 'EU')"""
    moment: Any = None
    """the statement's position in a procedure, which decides its variables"""
    sets_row: bool = False
    """NEW.a := …      what it writes is known when the triggers are: the tables of the rows"""
    trigger: Any = None
    """the row of the table whose trigger runs it, if it is run for that table alone"""

    temporary: bool = False
    """CREATE TEMP TABLE, #t: gone at the end of the script"""
    keeps: bool = False
    """CREATE TABLE IF NOT EXISTS: an existing table stays"""
    replaces: bool = False
    """CREATE OR REPLACE"""
    overwrites: bool = False
    """INSERT OVERWRITE: the rows that were there are gone"""
    like: tuple[tuple[str, str], ...] = ()
    """CREATE TABLE t LIKE s: the spelling and key of s, whose columns t has, too"""
    outline: tuple[str, ...] | None = None
    """of a plan that is remembered without its tree: the columns that its text lists"""


class Partition(NamedTuple):
    """PARTITION (day, region = 'EU')

    the last columns of the query are day, and none is region
    """

    given: list[Named]
    last: list[Named]

    def column_names(self, columns: list[Named], frame: Frame) -> list[Named]:
        """The names of the query's columns: those of the target without the partition's, then those
        that come last.
        """
        keys = set(second_of_each((*self.given, *self.last)))
        free = [column for column in columns if column[1] not in keys]
        if not columns:
            width = len(frame.slots) - len(self.last)
            free = [(slot.name, slot.key) for slot in frame.slots[:width]] if frame.complete else []
            if frame.complete:
                return [*free, *self.last]

            return []

        return [*free, *self.last]


class Dropped(NamedTuple):
    """DROP TABLE t"""

    key: str
    arms: tuple[tuple[int, int], ...] = ()
    """the branches and loops of a procedure around it"""


class Emptied(NamedTuple):
    """TRUNCATE TABLE t"""

    key: str
    arms: tuple[tuple[int, int], ...] = ()


class Renamed(NamedTuple):
    """ALTER TABLE t RENAME TO u"""

    name: str
    key: str
    to_name: str
    to_key: str
    node: Any = None


class Swapped(NamedTuple):
    """ALTER TABLE t SWAP WITH u"""

    name: str
    key: str
    other_name: str
    other_key: str
    node: Any = None


class Column(NamedTuple):
    """A column in ALTER TABLE: its spelling and key, and the type that it gets."""

    name: str
    key: str
    type: str = ""


class Altered(NamedTuple):
    """ALTER TABLE t RENAME COLUMN a TO b, ADD COLUMN c INT, DROP COLUMN d

    (a, b), (None, c), (d, None)
    """

    name: str
    key: str
    changes: tuple[tuple[Column | None, Column | None], ...]


class Shown(NamedTuple):
    """CREATE MATERIALIZED VIEW v TO t      a reader of v reads t"""

    key: str
    of_key: str
    of_name: str


class Using(NamedTuple):
    """USE db, SET search_path TO a, b      what a name without a schema means from here on"""

    catalog: str | None
    schemas: tuple[str, ...] | None


Step = Plan | Dropped | Emptied | Renamed | Swapped | Altered | Shown | Using
"""The step of a statement in its script."""

Steps = Step | list[Step] | None


class Unsupported:
    """This statement is not traced."""


def base_of(item: Any) -> Any:
    """a INT, s.f, xs[1]      the column in an item of a column list: a, s, xs"""
    while isinstance(item, (exp.ColumnDef, exp.Dot, exp.Bracket)):
        item = item.this

    return item


def listed_columns(schema: Any, facts: Facts) -> list[tuple[str, str]]:
    """Return the names of a column list.

    t (a, b COMMENT 'x')      the names of a column list
    t (a, "b")                b, too, where double quotes are those of strings
    t (s.f, xs[1])            s and xs
    """
    found = []
    for item in schema.expressions:
        identifier = base_of(item)
        if isinstance(identifier, (exp.Identifier, exp.Column)) or identifier.is_string:
            found.append(
                (identifier.name, facts.fold(identifier.name, identifier.args.get("quoted")))
            )

    return found
