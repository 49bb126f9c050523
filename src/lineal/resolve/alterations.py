"""ALTER TABLE … RENAME, ADD, DROP COLUMN: columns that have another name before the statement than
after it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING
from lineal.algebra.relation import one_row, project, values
from lineal.extract.entries import Definition, Entry
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements.steps import Plan
from lineal.model.edge import Column
from lineal.model.way import IDENTITY
from lineal.resolve.timeline import Change

Makes = Callable[[Frame | None], Frame]


def schema_frame(plan: Plan, facts: Facts) -> Makes:
    """Return the frame of a table that only lists its columns.

    CREATE TABLE #t (a INT)      columns that nothing has been written into yet
    """
    columns = values((info.name, facts.fold(info.name, info.quoted)) for info in plan.schema or ())
    return lambda _: columns


def change_of(change: Change) -> Makes:
    """Return what an ALTER TABLE leaves of a table.

    ALTER TABLE #t …      what the table holds, under the new names
    """
    return partial(change_frame, change)


def change_frame(change: Change, frame: Frame | None) -> Frame:
    """Apply one change to what a table holds."""
    held = frame or one_row()
    return project(held, change_slots(list(held.slots), change))


def change_slots(slots: list[Slot], change: Change) -> list[Slot]:
    """Rename, add or drop a column; a column that is there already is not added."""
    old, new = change
    keys = [slot.key for slot in slots if slot.star is None]
    if old is None:
        return (
            [*slots, Slot(new.name, new.key, NOTHING)]
            if new is not None and new.key not in keys
            else slots
        )
    if new is None:
        return [slot for slot in slots if slot.key != old.key or slot.star is not None]
    return [
        slot._replace(name=new.name, key=new.key) if slot.key == old.key else slot for slot in slots
    ]


def use_final_names(frame: Frame, definition: Definition) -> Frame:
    """What a statement writes, under the names that its columns have in the end."""
    slots = list(frame.slots)
    timeline, position, _ = definition.setting or (None, 0, None)
    for script, at, change in definition.entry.changes:
        if change[0] is not None and (script is not timeline or at > position):
            slots = change_slots(slots, change)
    return project(frame, slots)


def use_former_names(frame: Frame, entry: Entry, reader: Definition) -> Frame:
    """A table as it was at an earlier statement: its columns of today, under their former names."""
    if reader.setting is None or reader.setting.timeline is None:
        return frame

    timeline, position, _ = reader.setting
    changes = [
        change for script, at, change in entry.changes if script is timeline and at > position
    ]
    if not changes:
        return frame

    slots = list(frame.slots)
    for old, new in reversed(changes):
        if old is not None and new is None:
            gone = Column(entry.dataset, old.name)
            slots.append(Slot(old.name, old.key, {(gone, IDENTITY): None}, None, gone))
        else:
            slots = change_slots(slots, (new, old))

    return project(frame, slots)


def altered_columns(columns: list[tuple[str, str]], entry: Entry) -> list[tuple[str, str]]:
    """Return the columns of a table after its ALTER statements; a repeated change has no effect."""
    slots = [Slot(name, key, NOTHING) for name, key in columns]
    for _, _, change in entry.changes:
        slots = change_slots(slots, change)
    return [(slot.name, slot.key) for slot in slots]
