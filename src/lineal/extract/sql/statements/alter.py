"""ALTER, DROP, TRUNCATE and their like: what they do to names, in the order of the script."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame
from lineal.algebra.relation import one_row, project
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.nodes import list_arg
from lineal.extract.sql.statements.change import delete
from lineal.extract.sql.statements.steps import (
    Altered,
    Column,
    Dropped,
    Emptied,
    Plan,
    Renamed,
    Step,
    Swapped,
    Unsupported,
    listed_columns,
)  # fmt: skip
from lineal.extract.sql.tables import is_named, spell_table, target_of
from lineal.model.sequences import flatten, instances
from lineal.model.way import Clause

DATA = frozenset(
    ("TABLE", "VIEW", "MATERIALIZED VIEW", "FOREIGN TABLE", "EXTERNAL TABLE", "ICEBERG TABLE")
)


def drop(node: exp.Drop, facts: Facts) -> list[Step] | None:
    """Plan DROP.

    DROP TABLE IF EXISTS a, b
    """
    if str(node.args.get("kind")).upper() not in DATA:
        return None

    tables = node.args.get("tables") or [node.args.get("this")]
    return [Dropped(spell_table(table, facts)[1]) for table in tables if is_named(table)]


def truncate(node: exp.TruncateTable, facts: Facts) -> list[Step] | None:
    """Plan TRUNCATE.

    TRUNCATE TABLE a
    """
    return [Emptied(spell_table(table, facts)[1]) for table in node.expressions if is_named(table)]


def alter(node: exp.Alter, facts: Facts) -> list[Step] | type[Unsupported] | None:
    """Plan ALTER.

    ALTER TABLE t RENAME TO u, SWAP WITH u, RENAME COLUMN a TO b, ADD COLUMN c INT, DROP COLUMN d

    ALTER VIEW v (a) AS SELECT …                  a new definition
    ALTER TABLE t DELETE WHERE a                  ClickHouse: DELETE FROM t WHERE a
    ALTER TABLE t REPLACE PARTITION p FROM s      ClickHouse: rows of s
    """
    table, listed = target_of(node.args.get("this"))
    if str(node.args.get("kind")).upper() not in DATA or not is_named(table):
        return None

    name, key = spell_table(table, facts)
    steps: list[Step] = []
    changes: list[tuple[Column | None, Column | None]] = []
    for action in list_arg(node, "actions"):
        if isinstance(action, (exp.AlterRename, exp.SwapTable)):
            other = name_in_same_schema(name, key, *spell_table(action.this, facts))
            renames = isinstance(action, exp.AlterRename)
            steps.append(
                Renamed(name, key, *other, node) if renames else Swapped(name, key, *other, node)
            )
        elif isinstance(action, exp.Delete):
            action.set("this", table.copy())
            deleted = delete(action, facts)
            steps.extend(deleted if isinstance(deleted, list) else ())
        elif isinstance(action, exp.Query):
            columns = listed_columns(listed, facts) if listed is not None else []
            steps.append(
                Plan(name, key, "view", query=action, columns=columns, node=node, replaces=True)
            )
        elif isinstance(action, exp.ReplacePartition) and is_named(action.args.get("source")):
            steps.append(
                copy_of(
                    name, key, *spell_table(action.args["source"], facts), defines=False, node=node
                )
            )
        else:
            changes += CHANGES.get(type(action), nothing)(action, facts)

    if changes:
        return [*steps, Altered(name, key, tuple(changes))]

    return steps


def name_in_same_schema(name: str, key: str, other_name: str, other_key: str) -> tuple[str, str]:
    """Return a name in the schema of another one.

    ALTER TABLE s.t RENAME TO u      u stands in s, too
    """
    missing = key.count(".") - other_key.count(".")
    if missing <= 0:
        return other_name, other_key

    prefix, key_prefix = name.split(".")[:missing], key.split(".")[:missing]
    return ".".join([*prefix, other_name]), ".".join([*key_prefix, other_key])


# -- columns ---------------------------------------------------------------------------------------

Changes = list[tuple[Column | None, Column | None]]


def column(identifier: Any, facts: Facts, type_: Any = None) -> Column:
    """Build a column of an ALTER."""
    inner = identifier.this if isinstance(identifier, (exp.Column, exp.ColumnDef)) else identifier
    key = facts.fold(inner.name, inner.args.get("quoted"))
    return Column(
        inner.name, key, type_.sql(dialect=facts.name or None) if type_ is not None else ""
    )


def rename_column(action: exp.RenameColumn, facts: Facts) -> Changes:
    """Return the change of a renamed column.

    RENAME COLUMN a TO b
    """
    return [(column(action.this, facts), column(action.args["to"], facts))]


def add_column(action: exp.ColumnDef, facts: Facts) -> Changes:
    """Return the change of an added column.

    ADD COLUMN c INT
    """
    return [(None, column(action, facts, action.args.get("kind")))]


def add_columns(action: exp.Schema, facts: Facts) -> Changes:
    """Return the changes of added columns.

    ADD COLUMNS (c INT, d STRING)
    """
    added = instances(action.expressions, exp.ColumnDef)
    return flatten(add_column(each, facts) for each in added)


def drop_column(action: exp.Drop, facts: Facts) -> Changes:
    """Return the change of a dropped column.

    DROP COLUMN d
    """
    if str(action.args.get("kind")).upper() not in ("COLUMN", "COLUMNS"):
        return []

    gone = action.args.get("tables") or [action.args.get("this")]
    gone = flatten(each.expressions if isinstance(each, exp.Schema) else [each] for each in gone)
    return [(column(each, facts), None) for each in gone if each is not None]


def modify_column(action: exp.ModifyColumn, facts: Facts) -> Changes:
    """Return the change of a modified column.

    CHANGE COLUMN a b INT
    """
    before = action.args.get("rename_from")
    if before:
        return [(column(before, facts), column(action.this, facts, action.this.args.get("kind")))]

    return []


def alter_column(action: exp.AlterColumn, facts: Facts) -> Changes:
    """Return the change of an altered column.

    CHANGE COLUMN a b INT, as Hive has it
    """
    after = action.args.get("rename_to")
    if after:
        return [(column(action.this, facts), column(after, facts, action.args.get("dtype")))]

    return []


def nothing(action: Any, facts: Facts) -> Changes:
    """Return no change.

    ALTER COLUMN a TYPE BIGINT, SET TBLPROPERTIES …

    no column comes, goes or gets another name
    """
    return []


CHANGES: dict[type, Any] = {
    exp.RenameColumn: rename_column,
    exp.ColumnDef: add_column,
    exp.Schema: add_columns,
    exp.Drop: drop_column,
    exp.ModifyColumn: modify_column,
    exp.AlterColumn: alter_column,
}


def copy_of(
    name: str, key: str, from_name: str, from_key: str, defines: bool = True, node: Any = None
) -> Plan:
    """Return the plan of a table that takes over another one.

    ALTER TABLE s RENAME TO t      every column of s goes to the column of t that has its name
    """

    def copied_frame(evaluation: Any, ctes: Any) -> Frame:
        """Return the columns of the table that is copied, as they were before the statement."""
        dataset, frame = evaluation.catalog.former(from_name, from_key, evaluation)
        for slot in frame.slots:
            if slot.scanned is not None:
                evaluation.read(slot.scanned, Clause.SELECT, node)

        evaluation.datasets_read.setdefault(dataset, node)
        if not defines and from_key != key:
            _, target = evaluation.catalog.former(name, key, evaluation)
            if target.complete and frame.complete:
                return project(
                    one_row(), [slot for slot in frame.slots if slot.key in target.index]
                )

        return project(one_row(), frame.slots)

    return Plan(name, key, "table", made=copied_frame, defines=defines, node=node)


PLANNERS = {exp.Drop: drop, exp.TruncateTable: truncate, exp.Alter: alter}
