"""The state of an output folder: its manifest, and the records of statements, whole or killed in
between.

out/manifest.json         written last: which lineal made the tables, and how many rows each has
out/_records/<n>.records  what a share of statements gave; written aside and renamed, so that it is
                          there or not
out/_lineal               the folder is an output; who is at work on it
"""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path

from pyspark.sql import SparkSession

from lineal import __version__
from lineal.spark.pipeline.blobs import KEY, Records
from lineal.spark.pipeline.errors import BulkError
from lineal.spark.pipeline.folder import OWNER, UNFINISHED, Folder, folder_at
from lineal.spark.pipeline.guard import Fault
from lineal.spark.pipeline.output import NAMES
from lineal.spark.pipeline.streams import CHECKPOINT, HISTORY
from lineal.store.keys import machinery
from lineal.store.outputs import FORMAT, MANIFEST, said_by

RECORDS = "_records"
MOST_FILES = 16
PER_FILE = 5_000
FEWEST_OF_FILE = 200
"""Records of a file, when they are written again; with fewer, files are too small, but for some."""
ByKey = Mapping[bytes, bytes] | Records
"""Records by the keys of their statements, in memory or on disk."""

OURS = (MANIFEST, *NAMES, RECORDS, UNFINISHED, CHECKPOINT, HISTORY)
"""The files of a run; the manifest is removed first, because it is written last."""


class State:
    """The manifest and the records in the folder of an output."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.manifest = self._manifest()
        self.records = Records(folder.aside(RECORDS))
        """as the executors have packed them"""
        self.faults: dict[bytes, Fault] = {}
        self.texts: dict[bytes, Fault] = {}
        """texts of which not even a fingerprint can be made"""
        self.unfit: set[bytes] = set()
        """statements that have no record, and are read by the driver each time"""
        self.dropped = 0
        self.forgiven = False
        self._restore()

    def _manifest(self) -> dict[str, object]:
        """Return the manifest of the folder; raise BulkError if it is another version's."""
        data = self.folder.read(MANIFEST)
        found = said_by(data)
        if found is None:
            if data is None:
                return {}

            raise BulkError(
                f"{self.folder} has a {MANIFEST} that cannot be read: start over with --fresh"
            )

        made_by, format_ = found["lineal"], found.get("format")
        if format_ != FORMAT or made_by != __version__:
            raise BulkError(
                f"{self.folder} was made by lineal {made_by} (format {format_}), and this is {__version__} (format "
                f"{FORMAT}): name another folder, or start over with --fresh"
            )

        return found

    def _restore(self) -> None:
        """The records that this very lineal made; those of an edited one are not trusted."""
        for file in sorted(self.folder.names(RECORDS)):
            data = self.folder.read(f"{RECORDS}/{file}") or b""
            head, _, body = data.partition(b"\n")
            checksum = hashlib.blake2b(body, digest_size=20).hexdigest()
            if head.decode(errors="replace") != f"{machinery()} {checksum}":
                self.dropped += 1
                self.folder.remove(f"{RECORDS}/{file}")
                continue

            records, faults, unfit, texts = marshal.loads(body)  # noqa: S302  our own, and checked
            self._put(records)
            self.unfit.update(unfit)
            for said, held in ((faults, self.faults), (texts, self.texts)):
                for key, fault in ((key, Fault(*told)) for key, told in said.items()):
                    held[key] = max(fault, held.get(key, fault), key=attrgetter("seconds"))

    def forgive(self, seconds: float) -> None:
        """Retry statements that took too long under a lower limit."""
        for held in (self.faults, self.texts):
            for key in [key for key, fault in held.items() if 0 < fault.seconds < seconds]:
                del held[key]
                self.forgiven = True

    def keep_texts(self, found: dict[bytes, Fault]) -> None:
        """Keep the faults of the present texts; a fault that is known already stays as it is."""
        texts = found | {key: fault for key, fault in self.texts.items() if key in found}
        if texts != self.texts:
            self.texts, self.forgiven = texts, True
            self._write({}, {}, set())

    def keep(
        self, records: dict[bytes, bytes], faults: dict[bytes, Fault], unfit: set[bytes]
    ) -> None:
        """Commit what a share gave: records as the executors have packed them."""
        self._write(records, faults, unfit)
        self._put(records)
        self.faults.update(faults)
        self.unfit.update(unfit)

    def _write(
        self, records: Mapping[bytes, bytes], faults: dict[bytes, Fault], unfit: set[bytes]
    ) -> str:
        """Write the records to a file that is named after their checksum."""
        late, texts = (
            {key: tuple(fault) for key, fault in held.items()} for held in (faults, self.texts)
        )
        body = marshal.dumps((dict(records), late, sorted(unfit), texts))
        checksum = hashlib.blake2b(body, digest_size=20).hexdigest()
        file = f"{checksum}.records"
        self.folder.write(f"{RECORDS}/{file}", f"{machinery()} {checksum}\n".encode() + body)
        return file

    def _put(self, records: ByKey) -> None:
        """Keep records on disk."""
        for key, record in records.items():
            self.records.put(key, record)

    def settle(self, keys: Iterable[bytes], changed: ByKey, gone: Collection[bytes]) -> None:
        """Save the records that the next run may use, for the current statements, and free the
        rest. Some have changed since they were kept, and some statements have none any more.
        """
        self._put(changed)
        held = Settled(self, gone)
        for key in keys:
            held.take(key)

        fits = held.count == len(self.records) and not changed and not self.forgiven
        fits = fits and held.faults == self.faults and held.unfit == self.unfit
        files = self.folder.names(RECORDS)
        if not fits or len(files) > MOST_FILES + held.count // FEWEST_OF_FILE:
            kept = self._write_anew(held)
            self.folder.remove(*(f"{RECORDS}/{file}" for file in files if file not in kept))

        self.records.close()

    def _write_anew(self, held: Settled) -> set[str]:
        """Write records in files of a fixed size, and return their names."""
        written = set()
        for start in range(0, max(held.count, 1), PER_FILE):
            first, last = start * KEY, min(start + PER_FILE, held.count) * KEY
            keys = (bytes(held.keys[at : at + KEY]) for at in range(first, last, KEY))
            records = {key: self.records[key] for key in keys}
            about = ({}, set()) if start else (held.faults, held.unfit)
            written.add(self._write(records, *about))

        return written

    def begin(self) -> None:
        """From here on the tables are no longer what the manifest says."""
        self.finish({"complete": False})

    def finish(self, said: Mapping[str, object]) -> None:
        """Write the manifest: the run is complete."""
        made = {"lineal": __version__, "format": FORMAT, **said}
        self.folder.write(MANIFEST, (json.dumps(made, indent=1, sort_keys=True) + "\n").encode())


class Settled:
    """Records, faults and unfit statements of the current log."""

    def __init__(self, state: State, gone: Collection[bytes]) -> None:
        self.state = state
        self.gone = gone
        self.keys = bytearray()
        self.faults: dict[bytes, Fault] = {}
        self.unfit: set[bytes] = set()

    @property
    def count(self) -> int:
        """Return how many statements have records."""
        return len(self.keys) // KEY

    def take(self, key: bytes) -> None:
        """Note the record or the fault of a statement."""
        state = self.state
        if key in state.records and key not in self.gone:
            self.keys += key

        if state.faults and key in state.faults:
            self.faults[key] = state.faults[key]

        if state.unfit and key in state.unfit:
            self.unfit.add(key)


@contextmanager
def open_state(
    where: str | Path, spark: SparkSession | None = None, fresh: bool = False
) -> Iterator[State]:
    """Open the state of a folder and lock it until the end; a folder with other files is left
    alone.
    """
    folder = folder_at(where, spark)
    names = folder.names()
    if names and not names & {OWNER, RECORDS} and said_by(folder.read(MANIFEST)) is None:
        raise BulkError(f"{folder} has other things in it: name a new folder for the output")

    with folder.hold():
        if fresh:
            folder.remove(*OURS, *(others_tables(folder) & names))

        state = State(folder)
        if said_by(folder.read(MANIFEST)) is None:
            # a reader of the folder sees before the end that it is not complete
            state.begin()

        yield state


def others_tables(folder: Folder) -> set[str]:
    """The tables that a manifest tells of: another version may have made more of them."""
    told = (said_by(folder.read(MANIFEST)) or {}).get("tables")
    if isinstance(told, dict):
        return set(told)

    return set()
