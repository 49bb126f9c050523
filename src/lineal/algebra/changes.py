"""Changes of a table: what UPDATE, DELETE and MERGE do to its columns and rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING, Lineage, absorb
from lineal.algebra.relation import Title


def update(assigned: Sequence[Slot], deciding: Lineage) -> Frame:
    """UPDATE t SET a = s.b FROM s WHERE t.id = s.id

    Only the columns that are set get new values (t.a ← s.b). Which rows are meant decides those
    values and nothing else of t: both ids are usages of t.a, at field level, and no row comes or
    goes.
    """
    for slot in assigned:
        absorb(deciding, slot.lineage)
    return Frame(assigned, NOTHING)


def delete(deciding: Lineage) -> Frame:
    """DELETE FROM t WHERE a > 1      no column gets a value; a decides which rows t has (FILTER)"""
    return Frame([], deciding)


def merge_into(assigned: Sequence[Slot], deciding: Lineage) -> Frame:
    """MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND c THEN UPDATE SET a = s.b

    Each assignment is an edge into the column that it sets (t.a ← s.b). Rows may be added and
    removed, so ON (JOIN) and the conditions of WHEN (FILTER) decide the rows of t.
    """
    return Frame(assigned, deciding)


def with_all_columns(frame: Frame, table: Iterable[Title]) -> Frame:
    """UPDATE t SET a = 1      all columns of t, in its order: one that the statement does not set has no source here

    Columns that the statement adds to the table stand behind its own.
    """
    assigned = {slot.key: slot for slot in frame.slots}
    slots = [assigned.pop(key, Slot(name, key, {})) for name, key in table]
    return Frame([*slots, *assigned.values()], frame.rows)
