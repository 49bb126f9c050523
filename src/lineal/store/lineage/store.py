"""The interface of a store; its address decides which database holds it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

from lineal.model.edge import Column, Dataset
from lineal.model.extraction import DatasetInfo, Extraction
from lineal.store.errors import NoStore, StoreError
from lineal.store.lineage import runs
from lineal.store.lineage.database import WAIT, Database, report_damage
from lineal.store.lineage.history import Period, drop, history
from lineal.store.lineage.load import Change, load
from lineal.store.lineage.migrations import migrate
from lineal.store.lineage.naming import find_datasets
from lineal.store.lineage.postgres import SCHEMES, Postgres
from lineal.store.lineage.region import region
from lineal.store.lineage.restore import extraction_of
from lineal.store.lineage.runs import Run, moment
from lineal.store.lineage.sqlite import Sqlite


def open_store(address: str, *, create: bool = False, wait: float = WAIT) -> Store:
    """Open the store at a path or a postgresql:// address; a new store has the latest version."""
    database: Database
    if address.startswith(SCHEMES):
        database = Postgres(address, create=create, wait=wait)
    elif "://" in address:
        raise StoreError(
            f"{address.partition('://')[0]}:// is not a store: name a file, or postgresql://…"
        )
    else:
        database = Sqlite(address, create=create, wait=wait)

    try:
        migrate(database, create)
    except BaseException:
        database.abandon()
        raise

    return Store(database)


class Store:
    """Lineage by namespace, as it is and as it was."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.database.abandon()

    def close(self) -> None:
        """Close the connection."""
        self.database.close()

    @property
    def name(self) -> str:
        """Return the path or address of the store, without secrets."""
        return self.database.name

    def check_writable(self) -> None:
        """Check that the store can be written, without writing: an obstacle is reported now, and
        not after hours of work.
        """
        with self.database.writing(), report_damage(self.database):
            self.database.run("UPDATE edges SET to_run = to_run WHERE 1 = 0")

    def load(
        self, namespace: str, extraction: Extraction, source: str = "", now: str = ""
    ) -> Change:
        """Make this the lineage of the namespace; unchanged rows stay untouched."""
        migrate(self.database, create=True)
        return load(self.database, namespace, extraction, source, now)

    def extraction(self, namespace: str, at: str | None = None) -> Extraction:
        """Return the lineage of the namespace at a moment, or now."""
        with self.database.reading(), report_damage(self.database):
            return extraction_of(self.database, self._run(namespace, at))

    def region(
        self,
        namespace: str,
        starts: Sequence[Column],
        *,
        up: int = 0,
        down: int = 0,
        with_rows: bool = False,
        at: str | None = None,
    ) -> Extraction:
        """The part of the lineage that a trace of the columns visits, so many hops upstream and
        downstream.
        """
        with self.database.reading(), report_damage(self.database):
            run = self._run(namespace, at)
            return region(self.database, run, starts, up=up, down=down, with_rows=with_rows)

    def history(self, namespace: str, column: Column) -> list[Period]:
        """When each edge into the column and out of it came and went."""
        with self.database.reading(), report_damage(self.database):
            return history(
                self.database, runs.runs_of(self.database, self._namespace(namespace)), column
            )

    def drop(self, namespace: str, before: str) -> int:
        """Forget the edges that had ended at a moment; return how many were dropped."""
        with self.database.writing(), report_damage(self.database):
            run = runs.run_at(self.database, self._namespace(namespace), moment(before))
            dropped = drop(self.database, run) if run is not None else 0

        if dropped:
            with suppress(StoreError):  # it is dropped, even where no room is left to tidy up
                self.database.tidy()

        return dropped

    def datasets_named(
        self, namespace: str, text: str, at: str | None = None
    ) -> dict[Dataset, DatasetInfo]:
        """The datasets that `text`, or a beginning of it, may mean, with the names of their
        columns.
        """
        with self.database.reading(), report_damage(self.database):
            return find_datasets(self.database, self._run(namespace, at), text)

    def namespaces(self) -> list[str]:
        """Return the names of all namespaces."""
        with self.database.reading(), report_damage(self.database):
            return runs.namespaces(self.database)

    def runs(self, namespace: str) -> list[Run]:
        """Return all runs of a namespace, the oldest first."""
        with self.database.reading(), report_damage(self.database):
            return runs.runs_of(self.database, self._namespace(namespace))

    # -- names -------------------------------------------------------------------------------------

    def _namespace(self, name: str) -> int:
        """Return the number of a namespace; raise NoStore if there is none."""
        found = runs.namespace_number(self.database, name)
        if found is None:
            known = ", ".join(runs.namespaces(self.database)) or "none yet"
            raise NoStore(f"store {self.name} has no namespace {name}: it has {known}")

        return found

    def _run(self, namespace: str, at: str | None) -> Run:
        """Return the run that was valid at a time."""
        number = self._namespace(namespace)
        if at is None:
            found = runs.last_run(self.database, number)
        else:
            found = runs.run_at(self.database, number, moment(at))

        if found is None:
            first = runs.runs_of(self.database, number)
            since = f": it was first loaded at {first[0].at}" if first else ""
            raise NoStore(f"store {self.name} has no lineage of {namespace} at {at}{since}")

        if not found.layout:
            raise NoStore(
                f"store {self.name} has dropped the lineage of {namespace} at {at or found.at} (store gc)"
            )

        return found
