"""Changes of a table: what UPDATE, DELETE and MERGE do to its columns and rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lineal.algebra.clauses import FILTERS
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING, Lineage, absorb, pour, unite_lineages
from lineal.algebra.relation import Title
from lineal.algebra.values import AssignedFields, assigned_lineages


def update(assigned: Sequence[Slot], deciding: Lineage) -> Frame:
    """UPDATE t SET a = s.b FROM s WHERE t.id = s.id

    Only the columns that are set get new values (t.a ← s.b). Which rows are meant decides those
    values and nothing else of t: both ids are usages of t.a, at field level, and no row comes or
    goes.
    """
    for slot in assigned:
        for lineage in assigned_lineages(slot.lineage):
            absorb(deciding, lineage)

    return Frame(assigned, NOTHING)


def delete(deciding: Lineage) -> Frame:
    """DELETE FROM t WHERE a > 1      no column gets a value; a decides which rows t has (FILTER)"""
    return Frame([], deciding)


def replace_rows(inserted: Frame, deciding: Lineage) -> Frame:
    """INSERT INTO t REPLACE WHERE a > 1 SELECT … FROM s

    The inserted rows, and what decides which rows of t they replace: a (FILTER).
    """
    rows: Lineage = dict(inserted.rows)
    absorb(deciding, rows)
    return Frame(inserted.slots, rows)


def merge_into(assigned: Sequence[Slot], deciding: Lineage) -> Frame:
    """MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND c THEN UPDATE SET a = s.b

    Each assignment is an edge into the column that it sets (t.a ← s.b). Rows may be added and
    removed, so ON (JOIN) and the conditions of WHEN (FILTER) decide the rows of t.
    """
    return Frame(assigned, deciding)


def upsert(inserted: Frame, assigned: Mapping[str, Slot]) -> Frame:
    """INSERT INTO t SELECT id, b FROM s ON CONFLICT (id) DO UPDATE SET b = excluded.b + t.b

    A column gets the inserted value, or what is assigned to it where the row is there already: it
    comes from both. What decides the inserted rows decides the rows of t.
    """
    columns = dict(assigned)
    for slot in inserted.slots:
        held = columns.get(slot.key)
        if held is not None:
            slot = Slot(slot.name, slot.key, unite_lineages([slot.lineage, held.lineage]))

        columns[slot.key] = slot

    return Frame(list(columns.values()), inserted.rows)


def assign_fields(frame: Frame, paths: Mapping[int, str]) -> Frame:
    """INSERT INTO t (id, s.f, s.g) SELECT a, b, c FROM u

    Each column that is listed by a field takes the value there: t.s.f ← u.b, t.s.g ← u.c.
    """
    slots: list[Slot] = []
    structs: dict[str, AssignedFields] = {}
    for number, slot in enumerate(frame.slots):
        path = paths.get(number)
        if path is None:
            slots.append(slot)
            continue

        struct = structs.get(slot.key)
        if struct is None:
            struct = structs[slot.key] = AssignedFields({}, {}, [])
            slots.append(slot._replace(lineage=struct))

        struct.fields = {
            **struct.fields,
            path: unite_lineages([struct.fields.get(path, {}), slot.lineage]),
        }
        struct.names = list(struct.fields)

    return Frame(slots, frame.rows)


def insert_each(inserted: Frame, rows: Lineage) -> Frame:
    """FOR r IN (SELECT a FROM s WHERE b) LOOP INSERT INTO t VALUES (r.a); END LOOP

    As INSERT INTO t SELECT a FROM s WHERE b: what decides the rows of the loop decides those of t.
    """
    return Frame(inserted.slots, unite_lineages([inserted.rows, rows]))


def update_each(updated: Frame, rows: Lineage) -> Frame:
    """FOR r IN (SELECT a, k FROM s WHERE b) LOOP UPDATE t SET x = r.a WHERE id = r.k; END LOOP

    As UPDATE t SET x = s.a FROM s WHERE …: what decides the rows of the loop is a usage of the
    columns that are set.
    """
    slots = [slot._replace(lineage=unite_lineages([slot.lineage, rows])) for slot in updated.slots]
    return Frame(slots, updated.rows)


def delete_each(deleted: Frame, rows: Lineage) -> Frame:
    """FOR r IN (SELECT k FROM s WHERE b) LOOP DELETE FROM t WHERE id = r.k; END LOOP

    As DELETE FROM t WHERE id IN (SELECT k FROM s WHERE b): b filters the rows of t.
    """
    filtering: Lineage = dict(deleted.rows)
    pour(rows, FILTERS, filtering)
    return Frame(deleted.slots, filtering)


def changed_row(table: Frame, assigned: Iterable[Slot]) -> Frame:
    """UPDATE t SET a = 1 RETURNING *

    The row as it is after the change: a column that is set has its new value, the others stay.
    """
    changed = {slot.key: slot for slot in assigned}
    kept = [changed.pop(slot.key, slot) if slot.star is None else slot for slot in table.slots]
    return Frame([*changed.values(), *kept], NOTHING)


def with_all_columns(frame: Frame, table: Iterable[Title]) -> Frame:
    """UPDATE t SET a = 1

    all columns of t, in its order: one that the statement does not set has no source here

    Columns that the statement adds to the table stand behind its own.
    """
    assigned = {slot.key: slot for slot in frame.slots}
    slots = [assigned.pop(key, Slot(name, key, {})) for name, key in table]
    return Frame([*slots, *assigned.values()], frame.rows)
