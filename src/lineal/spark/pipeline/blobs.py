"""Bytes on the driver's disk: what grows with a log, and is needed only now and then."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from weakref import finalize

LENGTH = 8
"""Bytes in front of each blob, which tell its length."""

AT_ONCE = 4_096
"""Bytes that are read before the length is known: most blobs fit."""


FULL = 1 << 16
"""Bytes that are held before they are written."""


class Unnamed:
    """A file that no other process sees: when it is not needed any more, and after a kill, nothing
    is left of it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            self.handle = os.dup(file.fileno())

        self.close = finalize(self, os.close, self.handle)
        self.held = bytearray()
        self.end = 0
        """where the next bytes go"""

    def append(self, *several: bytes) -> int:
        """Append bytes, and return where they start."""
        start = self.end
        for data in several:
            self.held += data
            self.end += len(data)

        if len(self.held) > FULL:
            self.flush()

        return start

    def flush(self) -> None:
        """Write the held bytes."""
        while self.held:
            del self.held[: os.write(self.handle, self.held)]

    def read(self, start: int, size: int) -> bytes:
        """Return so many bytes, or less at the end of the file."""
        if start + size > self.end - len(self.held):
            self.flush()

        return os.pread(self.handle, size, start)


class Blobs:
    """Blobs in a file, each known by the place where it starts."""

    def __init__(self, folder: Path) -> None:
        self.file = Unnamed(folder)

    def add(self, data: bytes) -> int:
        """Append a blob, and return its place."""
        return self.file.append(len(data).to_bytes(LENGTH, "little"), data)

    def get(self, place: int) -> bytes:
        """Return the blob at a place."""
        head = self.file.read(place, AT_ONCE)
        size = int.from_bytes(head[:LENGTH], "little")
        if LENGTH + size <= len(head):
            return head[LENGTH : LENGTH + size]

        return head[LENGTH:] + self.file.read(place + len(head), LENGTH + size - len(head))

    def after(self, place: int) -> int:
        """Return the place of the next blob."""
        return place + LENGTH + int.from_bytes(self.file.read(place, LENGTH), "little")

    def close(self) -> None:
        """Give the disk back."""
        self.file.close()


KEY = 20
"""Bytes of a key."""

MARK = 8
"""Bytes of a key that tell it from others, nearly always."""


class Records:
    """Records of statements by their keys, on disk; of each the driver holds 25 to 50 bytes.

    Keys are digests. Some bytes of a key say where to look (open addressing), and the whole key is
    in front of the record.
    """

    def __init__(self, folder: Path) -> None:
        self.file = Unnamed(folder)
        self.count = 0
        self._make_slots(1 << 10)

    def _make_slots(self, slots: int) -> None:
        """Begin with so many empty slots."""
        self.mask = slots - 1
        self.marks = array("Q", bytes(8 * slots))
        self.places = array("q", bytes(8 * slots))
        self.sizes = array("i", bytes(4 * slots))

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    def __contains__(self, key: bytes) -> bool:
        return self.marks[self._slot_of(key)] != 0

    def __getitem__(self, key: bytes) -> bytes:
        found = self.get(key)
        if found is None:
            raise KeyError(key)

        return found

    def get(self, key: bytes) -> bytes | None:
        """Return the record of a statement, if there is one."""
        mark = mark_of(key)
        slot = mark & self.mask
        while held := self.marks[slot]:
            if held == mark:
                found = self.file.read(self.places[slot], self.sizes[slot])
                if found.startswith(key):
                    return found[KEY:]

            slot = (slot + 1) & self.mask

        return None

    def put(self, key: bytes, record: bytes) -> None:
        """Keep a record in the place of a former one."""
        if 5 * self.count >= 4 * self.mask:
            self._grow()

        slot = self._slot_of(key)
        self.count += not self.marks[slot]
        self.marks[slot] = mark_of(key)
        self.sizes[slot] = KEY + len(record)
        self.places[slot] = self.file.append(key, record)

    def _slot_of(self, key: bytes) -> int:
        """Return the slot of a key, or the empty one that it would have."""
        mark = mark_of(key)
        slot = mark & self.mask
        while held := self.marks[slot]:
            if held == mark and self.file.read(self.places[slot], KEY) == key:
                break

            slot = (slot + 1) & self.mask

        return slot

    def _grow(self) -> None:
        """Double the slots."""
        several = zip(self.marks, self.places, self.sizes, strict=True)
        self._make_slots(2 * (self.mask + 1))
        for mark, place, size in several:
            slot = mark & self.mask
            while mark and self.marks[slot]:
                slot = (slot + 1) & self.mask

            if mark:
                self.marks[slot], self.places[slot], self.sizes[slot] = mark, place, size

    def keys(self) -> Iterator[bytes]:
        """Yield the keys."""
        for mark, place in zip(self.marks, self.places, strict=True):
            if mark:
                yield self.file.read(place, KEY)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the keys, each with its record."""
        for mark, place, size in zip(self.marks, self.places, self.sizes, strict=True):
            if mark:
                found = self.file.read(place, size)
                yield found[:KEY], found[KEY:]

    def close(self) -> None:
        """Forget all records."""
        self.file.close()
        self.count = 0
        self._make_slots(1)


def mark_of(key: bytes) -> int:
    """Return some bytes of a key as a number; 0 is an empty slot."""
    return int.from_bytes(key[:MARK], "little") or 1
