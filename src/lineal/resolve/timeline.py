"""Script order: what a name means at each statement of a script, where the order of statements
matters.

    CREATE TEMP TABLE x AS SELECT a FROM s;      version 1 of x, hidden
    INSERT INTO x SELECT b FROM s2;              a later state of version 1
    CREATE TABLE y AS SELECT * FROM x;           reads version 1 as it is now
    DROP TABLE x;
    CREATE TABLE x AS SELECT c FROM s3;          version 2 of x, the one that is shown

A version is what one CREATE makes, under whatever names it goes by. The version that a name has
when the script ends is shown under that name; temporary, dropped and replaced ones are hidden, and
composed into what reads them.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from lineal.extract.sql.statements.alter import copy_of
from lineal.extract.sql.statements.steps import (
    Altered,
    Column,
    Dropped,
    Emptied,
    Plan,
    Renamed,
    Step,
    Swapped,
)  # fmt: skip

if TYPE_CHECKING:
    from lineal.extract.entries import Entry, State

Change = tuple[Column | None, Column | None]
"""(a, b): a is now called b; (None, b): b is new; (a, None): a is gone"""

Arms = tuple[tuple[int, int], ...]

NEVER: tuple[list[int], list[Version | None]] = ([], [])


class Version:
    """One version of a name: the result of a CREATE in a script, or the dataset before the
    script.
    """

    __slots__ = (
        "arms",
        "before", "changes", "dropped", "entry", "external", "key", "name", "origin", "positions", "read", "states",
        "superseded", "temporary", "writes",
    )  # fmt: skip

    def __init__(
        self, name: str, key: str, temporary: bool = False, external: bool = False
    ) -> None:
        self.name = name
        self.key = key
        self.temporary = temporary
        self.external = external
        self.dropped = False
        self.superseded = False
        self.read = False
        self.origin = key
        self.arms: Arms = ()
        """the branches and loops of a procedure in which it was created"""
        self.writes: list[tuple[int, Plan]] = []
        self.changes: list[tuple[int, Change]] = []
        self.before: Version | None = None
        """whose columns it has: that of a table which was emptied, or which this one is LIKE"""
        self.entry: Entry | None = None
        """the dataset that shows it"""
        self.states: list[State] = []
        self.positions: list[int] = []

    @property
    def hidden(self) -> bool:
        """Tell whether the version is composed into what reads it."""
        return self.temporary or self.dropped or self.superseded

    @property
    def filled_elsewhere(self) -> bool:
        """Tell whether no statement of the script gives the version its rows.

        CREATE TEMP TABLE t (a INT); COPY t FROM STDIN; SELECT a FROM t      they come from outside
        """
        if not self.writes or self.external or self.before is not None:
            return False

        first = self.writes[0][1]  # with its generated columns
        return first.schema is not None and all(
            plan.schema is not None or plan.node is first.node for _, plan in self.writes
        )

    def state_at(self, position: int) -> State | None:
        """As the statements before this position have left it."""
        found = bisect_left(self.positions, position)
        return self.states[found - 1] if found else None


class Timeline:
    """Which version each name of a script stands for, from statement to statement."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps
        self.versions: list[Version] = []
        self.bound: dict[str, Version] = {}
        self.history: dict[str, tuple[list[int], list[Version | None]]] = {}
        for position, step in enumerate(steps):
            FOLLOW[step.__class__](self, position, step)

        for version in self.versions:
            if version.dropped and self.bound.get(version.key) is not None:
                version.superseded = True

    def at(self, key: str, position: int) -> Version | None:
        """The version that a statement reads under a name; None where the script has not touched it
        yet.
        """
        starts, versions = self.history.get(key, NEVER)
        found = bisect_left(starts, position)
        return versions[found - 1] if found else None

    # -- names -------------------------------------------------------------------------------------

    def start(self, position: int, version: Version) -> Version:
        """From here on the name means this version."""
        self.versions.append(version)
        self.bind(position, version.key, version)
        return version

    def bind(self, position: int, key: str, version: Version | None) -> None:
        """Let a name mean this version from here on, or nothing."""
        if version is None:
            self.bound.pop(key, None)
        else:
            self.bound[key] = version

        starts, versions = self.history.setdefault(key, ([], []))
        starts.append(position)
        versions.append(version)

    def current(self, position: int, name: str, key: str) -> Version:
        """Return the version that a name has, else the version before the script."""
        found = self.bound.get(key)
        return (
            found if found is not None else self.start(position, Version(name, key, external=True))
        )

    def replace(self, key: str) -> Version | None:
        """Hide the version that a name has had, if the script has made or written it."""
        old = self.bound.get(key)
        if old is not None and (old.writes or not old.external):
            old.superseded = True

        return old

    # -- statements --------------------------------------------------------------------------------

    def follow_plan(self, position: int, plan: Plan) -> None:
        """Note what a statement writes.

        CREATE starts a version, unless it keeps what is there; whatever else writes, writes into
        the current one
        """
        held = self.bound.get(plan.key)
        if (
            plan.keeps
            and held is not None
            and not held.external
            and runs_whenever(held.arms, arms_of(plan))
        ):
            return  # CREATE TABLE IF NOT EXISTS t, where t has been created: nothing happens

        if plan.defines and held is not None and held.external and not plan.replaces:
            held.external = False  # INSERT INTO t …; CREATE TABLE t …: there was no t before
            version = held
        elif plan.defines and not (
            held is not None and (plan.keeps or not runs_whenever(arms_of(plan), held.arms))
        ):
            self.replace(plan.key)
            version = self.start(position, Version(plan.name, plan.key, plan.temporary))
            version.arms = arms_of(plan)
        else:
            version = self.current(position, plan.name, plan.key)
            if plan.overwrites and version.writes:
                version = self.start_empty(position, version)

        version.writes.append((position, plan))

    def follow_drop(self, position: int, step: Dropped) -> None:
        """End the version of a table that is dropped.

        DROP TABLE t

        what was made here is gone; what was there before stays in the picture
        """
        version = self.bound.get(step.key)
        if version is not None and runs_whenever(step.arms, version.arms):
            version.dropped = not version.external
            self.bind(position, step.key, None)

    def follow_truncate(self, position: int, step: Emptied) -> None:
        """Empty the version of a table.

        TRUNCATE t      the rows are gone, the columns stay
        """
        version = self.bound.get(step.key)
        written = version is not None and any(plan.schema is None for _, plan in version.writes)
        if version is not None and written and runs_whenever(step.arms, version.arms):
            self.start_empty(position, version)

    def start_empty(self, position: int, old: Version) -> Version:
        """Start a version with the columns of another one, and none of its rows."""
        new = Version(old.name, old.key, old.temporary, old.external)
        new.before = old
        old.superseded = True
        return self.start(position, new)

    def follow_rename(self, position: int, step: Renamed) -> None:
        """Give a version another name.

        ALTER TABLE t RENAME TO u

        what was made here is u from now on; what was there before flows into u
        """
        version = self.bound.get(step.key)
        self.replace(step.to_key)
        if version is None or version.external:
            self.start_copy(position, step.to_name, step.to_key, step.name, step.key, step.node)
            if version is not None:
                self.bind(position, step.key, None)

            return

        self.bind(position, step.key, None)
        version.name, version.key = step.to_name, step.to_key
        self.bind(position, step.to_key, version)

    def start_copy(
        self, position: int, name: str, key: str, from_name: str, from_key: str, node: object
    ) -> None:
        """Start a version that copies the dataset which had another name before the script."""
        plan = copy_of(name, key, from_name, from_key, node=node)
        self.start(position, Version(name, key)).writes.append((position, plan))

    def follow_swap(self, position: int, step: Swapped) -> None:
        """Exchange the names of two versions.

        ALTER TABLE t SWAP WITH u      each takes the other's name
        """
        pair = [(step.name, step.key), (step.other_name, step.other_key)]
        versions = [self.bound.get(key) for _, key in pair]
        for version, (_, _), (to_name, to_key) in zip(versions, pair, reversed(pair), strict=True):
            if version is not None and not version.external:
                version.name, version.key = to_name, to_key
                self.bind(position, to_key, version)

        for version, (name, key), (to_name, to_key) in zip(
            versions, pair, reversed(pair), strict=True
        ):
            if version is None or version.external:
                self.start_copy(position, to_name, to_key, name, key, step.node)

    def follow_alter(self, position: int, step: Altered) -> None:
        """Change the columns of a version.

        ALTER TABLE t …      changes the columns of the current version
        """
        version = self.current(position, step.name, step.key)
        version.changes.extend((position, change) for change in step.changes)


def arms_of(plan: Plan) -> Arms:
    """The branches and loops that a statement is in."""
    arms: Arms = plan.moment.arms if plan.moment is not None else ()
    return arms


def runs_whenever(later: Arms, earlier: Arms) -> bool:
    """Tell whether one statement runs whenever another has run.

    IF … CREATE TABLE t … ELSE CREATE TABLE t …

    whether the later statement runs whenever the earlier one has
    """
    return earlier[: len(later)] == later


FOLLOW: dict[type, Any] = {
    Plan: Timeline.follow_plan,
    Dropped: Timeline.follow_drop,
    Emptied: Timeline.follow_truncate,
    Renamed: Timeline.follow_rename,
    Swapped: Timeline.follow_swap,
    Altered: Timeline.follow_alter,
}


def order_matters(steps: list[Step]) -> bool:
    """Tell whether a script has names that are defined more than once, temporary or altered."""
    created: set[str] = set()
    written: set[str] = set()
    for step in steps:
        if step.__class__ is not Plan:
            return True

        assert isinstance(step, Plan)
        if step.temporary or (step.overwrites and step.key in written):
            return True

        if step.defines:
            if step.key in created or (step.replaces and step.key in written):
                return True

            created.add(step.key)

        if step.schema is None:
            written.add(step.key)

    return False
