"""The versions of the schema: an older store is brought up to date when something is loaded, a
newer one is refused.

Whoever only reads may have no right to write, and reads older tables as they are.
"""

from __future__ import annotations

from lineal import __version__
from lineal.store.errors import Damaged, NoStore, StoreError, TooNew
from lineal.store.lineage import schema
from lineal.store.lineage.database import Database
from lineal.store.lineage.runs import following_moment

VERSIONS = "CREATE TABLE versions (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, lineal TEXT NOT NULL)"


def migrate(database: Database, create: bool) -> None:
    """Bring the tables to the current version; raise NoStore if there are none."""
    applied = database.versions()
    if applied is None and not create:
        raise NoStore(f"there is no store at {database.name}: `lineal store load` makes one")

    if _is_current(database, applied) or (
        applied and not create and max(applied) >= schema.READABLE
    ):
        return

    with database.writing():
        applied = database.versions()  # another process may have been first
        if _is_current(database, applied):
            return

        if applied is None:
            database.begin_store()
            database.run(VERSIONS)

        for version in range(max(applied or [0]) + 1, schema.VERSION + 1):
            for statement in schema.migration(database.dialect, version):
                database.run(statement)

            when = following_moment(None)
            database.fill(
                "versions",
                {"version": [version], "applied_at": [when], "lineal": [__version__]},
                {},
            )


def _is_current(database: Database, applied: list[int] | None) -> bool:
    """Whether nothing is to be done; a list of versions that lineal never writes is an error."""
    latest = len(applied or ())
    if applied is not None and applied != list(range(1, latest + 1)):
        latest = max((version for version in applied if isinstance(version, int)), default=0)
        if latest <= schema.VERSION:
            raise Damaged(NOT_OURS.format(database.name))

    if applied == []:
        raise Damaged(NOT_OURS.format(database.name))

    if latest > schema.VERSION:
        raise TooNew(
            f"store {database.name} has version {latest}, which {_writer_of(database)} has written,"
            f" and this is lineal {__version__}, which knows versions up to {schema.VERSION}:"
            " use a later lineal"
        )

    return latest == schema.VERSION


NOT_OURS = (
    "store {} is damaged: its list of versions is not one that lineal writes; put back a copy, or"
    " load into a new store"
)


def _writer_of(database: Database) -> str:
    """Which lineal has made the last version, as far as the store still says it our way."""
    try:
        with database.reading():
            ((lineal,),) = database.rows(
                "SELECT lineal FROM versions ORDER BY version DESC LIMIT 1"
            )
    except (StoreError, ValueError):
        return "another lineal"

    return f"lineal {lineal}"
