"""What an output folder knows: its manifest, and the records of statements that were read, whole or killed in between.

out/manifest.json         written last: which lineal made the tables, and how many rows each has
out/_records/<n>.records  what a share of statements gave; written aside and renamed, so that it is there or not
"""

from __future__ import annotations

import hashlib
import json
import marshal
import shutil
from operator import attrgetter
from pathlib import Path
from typing import Any

from lineal import __version__
from lineal.extract.memory import Record
from lineal.spark.bulk.errors import BulkError
from lineal.spark.bulk.guard import Fault
from lineal.store.files import replace_file
from lineal.store.keys import machinery

FORMAT = 1
MANIFEST, RECORDS = "manifest.json", "_records"
MOST_FILES = 16
"""of records, before they are made one"""


class State:
    """The folder of one output."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = self._manifest()
        self.records: dict[bytes, Record] = {}
        self.faults: dict[bytes, Fault] = {}
        self.unfit: set[bytes] = set()
        """statements that have no record, and are read by the driver each time"""
        self.dropped = 0
        self.forgiven = False
        self._restore()

    def _manifest(self) -> dict[str, Any]:
        if self.folder.exists() and not self.folder.is_dir():
            raise BulkError(f"{self.folder} is a file: name a folder for the output")
        where = self.folder / MANIFEST
        if not where.exists():
            if self.folder.is_dir() and any(each.name != RECORDS for each in self.folder.iterdir()):
                raise BulkError(f"{self.folder} has other things in it: name a new folder for the output")
            return {}
        try:
            found = json.loads(where.read_text(encoding="utf-8"))
            made_by, format_ = found["lineal"], found["format"]
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise BulkError(f"{where} cannot be read ({type(problem).__name__}): name another folder") from problem
        if format_ != FORMAT or made_by != __version__:
            raise BulkError(
                f"{self.folder} was made by lineal {made_by} (format {format_}), and this is {__version__} (format "
                f"{FORMAT}): name another folder, or start over with --fresh"
            )
        return dict(found)

    def _restore(self) -> None:
        """The records that this very lineal made; those of an edited one are not trusted."""
        for file in sorted((self.folder / RECORDS).glob("*.records")):
            data = file.read_bytes()
            head, _, body = data.partition(b"\n")
            checksum = hashlib.blake2b(body, digest_size=20).hexdigest()
            if head.decode(errors="replace") != f"{machinery()} {checksum}":
                self.dropped += 1
                file.unlink()
                continue
            records, faults, unfit = marshal.loads(body)  # noqa: S302  our own, and checked
            self.records.update(records)
            self.unfit.update(unfit)
            for key, said in faults.items():
                fault = Fault(*said)
                self.faults[key] = max(fault, self.faults.get(key, fault), key=attrgetter("seconds"))

    def forgive(self, seconds: float) -> None:
        """What took too long under a limit that was lower may be tried again."""
        kept = {key: fault for key, fault in self.faults.items() if not 0 < fault.seconds < seconds}
        self.forgiven |= len(kept) < len(self.faults)
        self.faults = kept

    def keep(self, records: dict[bytes, Record], faults: dict[bytes, Fault], unfit: set[bytes]) -> None:
        """Commit what a share gave."""
        self.records.update(records)
        self.faults.update(faults)
        self.unfit.update(unfit)
        self._write(records, faults, unfit)

    def _write(self, records: dict[bytes, Record], faults: dict[bytes, Fault], unfit: set[bytes]) -> Path:
        body = marshal.dumps((records, {key: tuple(fault) for key, fault in faults.items()}, sorted(unfit)))
        checksum = hashlib.blake2b(body, digest_size=20).hexdigest()
        folder = self.folder / RECORDS
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{checksum}.records"
        replace_file(file, f"{machinery()} {checksum}\n".encode() + body)
        return file

    def settle(self, keys: set[bytes], records: dict[bytes, Record]) -> None:
        """At the end: what the next run may use, of the statements that there are; nothing is held any more."""
        faults = {key: why for key, why in self.faults.items() if key in keys}
        unfit = self.unfit & keys
        same = records.keys() == self.records.keys() and all(records[key] is self.records[key] for key in records)
        fits = same and not self.forgiven and faults == self.faults and unfit == self.unfit
        files = list((self.folder / RECORDS).glob("*.records"))
        if not fits or len(files) > MOST_FILES:
            kept = self._write(records, faults, unfit)
            for file in files:
                if file != kept:
                    file.unlink()
        self.records = {}

    def begin(self) -> None:
        """From here on the tables are no longer what the manifest says."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.finish({"complete": False})

    def finish(self, said: dict[str, Any]) -> None:
        made = {"lineal": __version__, "format": FORMAT, **said}
        replace_file(self.folder / MANIFEST, (json.dumps(made, indent=1, sort_keys=True) + "\n").encode())


def start_over(folder: Path) -> None:
    """--fresh: forget an output; only a folder that is one is removed."""
    if (folder / MANIFEST).is_file() or (folder / RECORDS).is_dir():
        shutil.rmtree(folder)
