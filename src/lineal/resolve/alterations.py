"""ALTER TABLE … RENAME, ADD, DROP COLUMN: columns that have another name before the statement than
after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import NOTHING
from lineal.algebra.relation import one_row, project, values
from lineal.extract.entries import Definition, Entry
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.statements.steps import Column as Altered
from lineal.extract.sql.statements.steps import Plan
from lineal.model.edge import Column
from lineal.model.grouping import group_pairs
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
    return project(held, change_slots(held.slots, [change]))


class Alteration:
    """Columns that changes rename, add and drop; each change looks at one column only."""

    def __init__(self, slots: Iterable[Slot]) -> None:
        self.slots = dict(enumerate(slots))
        self.places: dict[str, list[int]] = group_pairs(
            (slot.key, place) for place, slot in self.slots.items() if slot.star is None
        )

    def apply(self, change: Change) -> None:
        """Rename, add or drop a column; a column that is there already is not added."""
        old, new = change
        if old is not None:
            places = self.places.pop(old.key, [])
            for place in places:
                self.put(place, new)

            if new is not None and places:
                self.places.setdefault(new.key, []).extend(places)
        elif new is not None and new.key not in self.places:
            self.add(Slot(new.name, new.key, NOTHING))

    def put(self, place: int, new: Altered | None) -> None:
        """Give a column its new name; without one it is dropped."""
        slot = self.slots.pop(place) if new is None else self.slots[place]
        if new is not None:
            self.slots[place] = slot._replace(name=new.name, key=new.key)

    def add(self, slot: Slot) -> None:
        """Add a column behind all others."""
        place = next(reversed(self.slots), -1) + 1
        self.slots[place] = slot
        self.places.setdefault(slot.key, []).append(place)


def change_slots(slots: Iterable[Slot], changes: Iterable[Change]) -> list[Slot]:
    """The columns of a table after some changes."""
    alteration = Alteration(slots)
    for change in changes:
        alteration.apply(change)

    return list(alteration.slots.values())


def use_final_names(frame: Frame, definition: Definition) -> Frame:
    """Rename the columns that a statement writes to their final names."""
    timeline, position, _ = definition.setting or (None, 0, None)
    later = (
        change
        for script, at, change in definition.entry.changes
        if change[0] is not None and (script is not timeline or at > position)
    )
    return project(frame, change_slots(frame.slots, later))


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

    former = Alteration(frame.slots)
    for old, new in reversed(changes):
        if old is not None and new is None:
            gone = Column(entry.dataset, old.name)
            former.add(Slot(old.name, old.key, {(gone, IDENTITY): None}, None, gone))
        else:
            former.apply((new, old))

    return project(frame, former.slots.values())


def altered_columns(columns: list[tuple[str, str]], entry: Entry) -> list[tuple[str, str]]:
    """Return the columns of a table after its ALTER statements; a repeated change has no effect."""
    slots = [Slot(name, key, NOTHING) for name, key in columns]
    changed = change_slots(slots, (change for _, _, change in entry.changes))
    return [(slot.name, slot.key) for slot in changed]
