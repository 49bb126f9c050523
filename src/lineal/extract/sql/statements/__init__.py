"""Statements: one file per family, one name in `FAMILIES`. A statement's handler gives what it defines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.frame import Frame, doubted
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.placeholders import LEFT_OUT
from lineal.extract.sql.tables import Named
from lineal.model.edge import Doubt
from lineal.model.extraction import ColumnInfo
from lineal.model.way import Confidence

Made = Callable[[Any, Any], Frame]
"""What makes a frame, given the evaluation and the CTEs."""

After = Callable[[Frame, Any, Any], Frame]
"""What is done with a query's frame, given the evaluation and the CTEs."""


@dataclass(slots=True)
class Plan:
    """What a statement does: the name it writes, and the query that it writes there."""

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
    """what is done with the query's frame: ON CONFLICT DO UPDATE"""
    partition: Partition | None = None
    """INSERT INTO t PARTITION (day, region = 'EU')"""
    moment: Any = None
    """where the statement stands in a procedure, and so what its variables are"""

    temporary: bool = False
    """CREATE TEMP TABLE, #t: gone at the end of the script"""
    keeps: bool = False
    """CREATE TABLE IF NOT EXISTS: what is there already stays"""
    replaces: bool = False
    """CREATE OR REPLACE"""
    overwrites: bool = False
    """INSERT OVERWRITE: the rows that were there are gone"""
    like: tuple[tuple[str, str], ...] = ()
    """CREATE TABLE t LIKE s: the spelling and key of s, whose columns t has, too"""


class Partition(NamedTuple):
    """PARTITION (day, region = 'EU')      the last columns of the query are day, and none is region"""

    given: list[Named]
    last: list[Named]

    def arranged(self, columns: list[Named], frame: Frame) -> list[Named]:
        """The names of the query's columns: those of the target without the partition's, then those that come last."""
        keys = {key for _, key in (*self.given, *self.last)}
        free = [column for column in columns if column[1] not in keys]
        if not columns:
            width = len(frame.slots) - len(self.last)
            free = [(slot.name, slot.key) for slot in frame.slots[:width]] if frame.complete else []
            return [*free, *self.last] if frame.complete else []
        return [*free, *self.last]


class Dropped(NamedTuple):
    """DROP TABLE t"""

    key: str
    arms: tuple[tuple[int, int], ...] = ()
    """the branches and loops of a procedure that it stands in"""


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
    """ALTER TABLE t RENAME COLUMN a TO b, ADD COLUMN c INT, DROP COLUMN d      (a, b), (None, c), (d, None)"""

    name: str
    key: str
    changes: tuple[tuple[Column | None, Column | None], ...]


class Shown(NamedTuple):
    """CREATE MATERIALIZED VIEW v TO t      whoever reads v reads t"""

    key: str
    of_key: str
    of_name: str


class Using(NamedTuple):
    """USE db, SET search_path TO a, b      what a name without a schema means from here on"""

    catalog: str | None
    schemas: tuple[str, ...] | None


Step = Plan | Dropped | Emptied | Renamed | Swapped | Altered | Shown | Using
"""What a statement does in its script."""

Steps = Step | list[Step] | None
Planner = Callable[[Any, Facts], Any]


def plan_of(node: Any, facts: Facts) -> Steps | type[Unsupported]:
    """What a statement does; None for one that moves no data; Unsupported when it may and is not traced."""
    planner = planners().get(type(node))
    if planner is not None:
        found: Steps | type[Unsupported] = planner(node, facts)
        found = with_others(node, found, facts) if gives_rows(node) else found
        return less_certain(found) if node._meta is not None and LEFT_OUT in node._meta else found
    return None if type(node) in SILENT else Unsupported


CLAUSE_LEFT_OUT = Doubt(Confidence.MEDIUM, False, "a part of the statement is only known when it runs")


def less_certain(steps: Any) -> Any:
    """SELECT a FROM t WHERE b = 1 {and_more}      what was left out may say more about every column"""
    for step in steps if isinstance(steps, list) else [steps]:
        if isinstance(step, Plan) and step.made is not None:
            step.made = made_with_doubt(step.made)
        elif isinstance(step, Plan):
            step.after = after_with_doubt(step.after)
    return steps


def made_with_doubt(made: Made) -> Made:
    """What an UPDATE sets, less certain."""
    return lambda evaluation, ctes: weakened(made(evaluation, ctes))


def after_with_doubt(after: After | None) -> After:
    """What is done with a query's frame, and then a doubt about all of it."""
    if after is None:
        return lambda frame, evaluation, ctes: weakened(frame)
    return lambda frame, evaluation, ctes: weakened(after(frame, evaluation, ctes))


def weakened(frame: Frame) -> Frame:
    """The same columns and rows, less certain."""
    slots = [slot._replace(lineage=doubted(slot.lineage, CLAUSE_LEFT_OUT)) for slot in frame.slots]
    return Frame(slots, doubted(frame.rows, CLAUSE_LEFT_OUT))


CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


def gives_rows(node: Any) -> bool:
    """Whether a change stands in WITH, or the rows of this one are written somewhere else."""
    args = node.args
    returning = args.get("returning")
    if returning is not None and returning.args.get("into") is not None:
        return True
    return args.get("with_") is not None and any(isinstance(cte.this, CHANGES) for cte in args["with_"].expressions)


def with_others(node: Any, found: Any, facts: Facts) -> Steps:
    """WITH c AS (INSERT …) SELECT …, UPDATE … OUTPUT … INTO u      several writes in one statement"""
    from lineal.extract.sql.statements.returning import changes_in, output_plan

    steps: list[Any] = list(changes_in(node.args["with_"], facts)) if node.args.get("with_") is not None else []
    steps.extend(found if isinstance(found, list) else [] if found is None or found is Unsupported else [found])
    if facts.output_into and node.args.get("returning") is not None and node.args["returning"].args.get("into"):
        steps.append(output_plan(node, facts))
    return [step for step in steps if step is not None]


class Unsupported:
    """This statement is not traced."""


def listed_columns(schema: Any, facts: Facts) -> list[tuple[str, str]]:
    """t (a, b COMMENT 'x')      the names of a column list"""
    found = []
    for item in schema.expressions:
        identifier = item.this if isinstance(item, exp.ColumnDef) else item
        if isinstance(identifier, (exp.Identifier, exp.Column)):
            found.append((identifier.name, facts.fold(identifier.name, identifier.args.get("quoted"))))
    return found


SILENT: frozenset[type] = frozenset(
    getattr(exp, name)
    for name in (
        "Commit", "Rollback", "Transaction", "Comment", "Describe", "Grant", "Revoke", "Analyze",
        "Uncache", "Refresh", "Pragma", "Show", "Kill", "Semicolon", "Declare", "Attach", "Detach",
        "Summarize",
    )
    if hasattr(exp, name)
)  # fmt: skip
"""Statements that define no dataset."""


def planners() -> dict[type, Planner]:
    if not _PLANNERS:
        from lineal.extract.sql.statements import alter, change, command, copy, create, insert, select, use

        for family in (select, create, insert, change, alter, copy, use, command):
            _PLANNERS.update(family.PLANNERS)
    return _PLANNERS


_PLANNERS: dict[type, Planner] = {}
