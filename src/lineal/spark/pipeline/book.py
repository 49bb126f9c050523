"""The statements of a corpus as the driver knows them: texts are on its disk, with a few figures of
each in memory.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lineal.extract.sql.procedural.detection import may_be_procedural
from lineal.model.script import Script
from lineal.resolve.catalog import PYTHON
from lineal.spark.pipeline.blobs import KEY, Blobs, Unnamed
from lineal.spark.pipeline.hashing import hash_of
from lineal.spark.pipeline.logged import Logged, pack_seen, unpack_seen
from lineal.spark.pipeline.order import Glance, Pairs, said_by
from lineal.spark.pipeline.share import pack_script, unpack_script

HASHES = pa.list_(pa.int64())
PAGE = pa.schema(
    [
        ("key", pa.binary()), ("script", pa.binary()), ("seen", pa.binary()), ("procedural", pa.bool_()),
        ("session", pa.bool_()), ("makes", HASHES), ("fills", HASHES), ("words", HASHES),
    ]
)  # fmt: skip
PER_PAGE = 2_000


def page_of(scripts: Sequence[Script], logged: Sequence[Logged | None], about: bytes) -> pa.Table:
    """Return a page of a book: on an executor, or here."""
    rows = [_row(script, seen, about) for script, seen in zip(scripts, logged, strict=True)]
    return pa.Table.from_pylist(rows, PAGE)


def _row(script: Script, logged: Logged | None, about: bytes) -> dict[str, object]:
    """Return the row of one script."""
    key = hashlib.blake2b(about + b"\0" + script.key(), digest_size=KEY).digest()
    program = script.dialect == PYTHON
    makes, fills, words = said_by("" if program else script.text)
    return {
        "key": key,
        "script": b"" if program else pack_script(script),
        "seen": pack_seen(logged) if logged is not None else b"",
        "procedural": not program and may_be_procedural(script.text, script.dialect),
        "session": bool(script.catalog or script.schemas),
        "makes": list(map(hash_of, makes)),
        "fills": list(map(hash_of, fills)),
        "words": list(map(hash_of, words)),
    }


class Places:
    """Where in a file the values of a column are."""

    def __init__(self) -> None:
        self.starts, self.sizes = array("q"), array("i")

    def add(self, file: Unnamed, column: pa.ChunkedArray) -> None:
        """Append the values of a column to a file."""
        values = column.to_pylist()
        sizes = np.fromiter(map(len, values), np.int32, len(values))
        start = file.append(b"".join(values))
        self.starts.frombytes((start + np.cumsum(sizes, dtype=np.int64) - sizes).tobytes())
        self.sizes.frombytes(sizes.tobytes())

    def read(self, file: Unnamed, number: int) -> bytes:
        """Return the value of a row."""
        return file.read(self.starts[number], self.sizes[number])


class Names:
    """Names of statements as pages bring them: how many each statement has, and their hashes."""

    def __init__(self) -> None:
        self.counts, self.hashes = array("i"), array("q")

    def add(self, column: pa.ChunkedArray) -> None:
        """Add the names of a page."""
        self.counts.frombytes(column.combine_chunks().value_lengths().to_numpy().tobytes())
        self.hashes.frombytes(column.combine_chunks().flatten().to_numpy().tobytes())

    @property
    def values(self) -> Any:
        """Return all hashes."""
        return np.frombuffer(self.hashes, np.int64)

    def pairs(self, names: Any) -> Pairs:
        """Return statements and names as numbers; names that are not listed are left out."""
        return _pairs(names, np.frombuffer(self.counts, np.int32), self.values, 0)


def _pairs(names: Any, counts: Any, values: Any, first: int) -> Pairs:
    """Return the pairs of statements from a number on, with the names that are listed."""
    at = np.minimum(np.searchsorted(names, values), max(len(names) - 1, 0))
    kept = names[at] == values if len(names) else np.zeros(len(values), bool)
    statements = np.repeat(np.arange(first, first + len(counts), dtype=np.int32), counts)
    return Pairs(statements[kept], at[kept].astype(np.int32))


class Book:
    """Statements by their numbers."""

    def __init__(self, folder: Path, is_log: bool) -> None:
        self.folder = folder
        self.is_log = is_log
        self.texts = Unnamed(folder)
        self.words = Blobs(folder)
        self.pages = array("q")
        """where the words of each page are"""
        self.scripts_at, self.seen_at = Places(), Places()
        self.keys = bytearray()
        self.procedural = bytearray()
        self.makes, self.fills = Names(), Names()
        self.has_sessions = False

    @classmethod
    def from_scripts(
        cls, folder: Path, scripts: Sequence[Script], about: bytes, logged: Sequence[Logged] = ()
    ) -> Book:
        """Return the book of scripts that are all here."""
        book = cls(folder, bool(logged))
        for start in range(0, len(scripts), PER_PAGE):
            several = scripts[start : start + PER_PAGE]
            seen = logged[start : start + PER_PAGE] if logged else [None] * len(several)
            book.add(page_of(several, seen, about))

        return book

    def add(self, page: pa.Table) -> None:
        """Append a page."""
        self.scripts_at.add(self.texts, page["script"])
        self.seen_at.add(self.texts, page["seen"])
        self.keys += b"".join(page["key"].to_pylist())
        self.procedural += bytes(page["procedural"].to_pylist())
        self.has_sessions = self.has_sessions or any(page["session"].to_pylist())
        self.makes.add(page["makes"])
        self.fills.add(page["fills"])
        said = Names()
        said.add(page["words"])
        self.pages.append(self.words.add(said.counts.tobytes()))
        self.words.add(said.hashes.tobytes())

    def __len__(self) -> int:
        return len(self.scripts_at.starts)

    def key(self, number: int) -> bytes:
        """Return the key of a statement."""
        return bytes(self.keys[KEY * number : KEY * number + KEY])

    def pack_script(self, number: int) -> bytes:
        """Return a script as it travels."""
        return self.scripts_at.read(self.texts, number)

    def packed_runs(self, number: int) -> bytes:
        """Return how often, when and by whom a statement was run, as it travels."""
        return self.seen_at.read(self.texts, number)

    def script(self, number: int) -> Script:
        """Return a script."""
        return unpack_script(self.pack_script(number))

    def scripts(self) -> list[Script]:
        """Return all scripts."""
        return list(map(self.script, range(len(self))))

    def logged_statements(self, scripts: Iterable[Script]) -> dict[str, Logged]:
        """Return all statements of a log by their names."""
        return {
            script.file: unpack_seen(self.packed_runs(number), script.file)
            for number, script in enumerate(scripts)
        }

    def glance(self) -> Glance:
        """Return the names that statements write and mention."""
        names = np.unique(np.concatenate((self.makes.values, self.fills.values)))
        found: list[Pairs] = []
        first = 0
        for place in self.pages:
            counts = np.frombuffer(self.words.get(place), np.int32)
            hashes = np.frombuffer(self.words.get(self.words.after(place)), np.int64)
            found.append(_sort_pairs(_pairs(names, counts, hashes, first)))
            first += len(counts)

        mentions = Pairs(*map(np.concatenate, zip(NO_PAIRS, *found, strict=True)))
        makes, fills = _sort_pairs(self.makes.pairs(names)), _sort_pairs(self.fills.pairs(names))
        return Glance(len(self), len(names), makes, fills, mentions)


NO_PAIRS = Pairs(np.zeros(0, np.int32), np.zeros(0, np.int32))


def _sort_pairs(pairs: Pairs) -> Pairs:
    """Return pairs by statement and name: hashes come in any order."""
    return pairs.where(np.lexsort((pairs.names, pairs.statements)))
